(public_field_definition name: (_) @name) @reference.field
(property_signature name: (_) @name type: (_)) @reference.field
(statement_block (abstract_class_declaration) @reference.local)
(statement_block (export_statement declaration: (abstract_class_declaration) @reference.local))

([(function_declaration return_type: (_) @value @annotated) (generator_function_declaration return_type: (_) @value @annotated)
  (function_expression return_type: (_) @value @annotated) (arrow_function return_type: (_) @value @annotated)
  (method_definition return_type: (_) @value @annotated)] @reference.return)
(type_alias_declaration) @reference.type
(non_null_expression (identifier) @word.head)
(as_expression (identifier) @word.head)

(program [(interface_declaration name: (_) @word.outer) (type_alias_declaration name: (_) @word.outer)
  (enum_declaration name: (_) @word.outer) (abstract_class_declaration name: (_) @word.outer)])
(program (export_statement declaration: [(interface_declaration name: (_) @word.outer)
  (type_alias_declaration name: (_) @word.outer) (enum_declaration name: (_) @word.outer)
  (abstract_class_declaration name: (_) @word.outer)]))
(type_identifier) @reference.read
