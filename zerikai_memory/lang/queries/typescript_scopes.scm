(public_field_definition name: (_) @name) @reference.field
(property_signature name: (_) @name type: (_)) @reference.field
(statement_block (abstract_class_declaration) @reference.local)
(statement_block (export_statement declaration: (abstract_class_declaration) @reference.local))
