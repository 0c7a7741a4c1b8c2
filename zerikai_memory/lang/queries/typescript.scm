(variable_declarator name: (identifier) @name
  value: [(as_expression) (satisfies_expression) (non_null_expression)]) @definition.variable
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: [(as_expression) (satisfies_expression)]) @definition.assignment
(pair key: (_) @name value: [(as_expression) (satisfies_expression)]) @definition.pair
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(public_field_definition name: (_) @name value: (_)) @definition.field

(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.namespace
(ambient_declaration "global" @name (statement_block)) @definition.namespace
(function_signature name: (_) @name) @definition.function
(class_body (method_signature name: (_) @name) @definition.method)
(abstract_method_signature name: (_) @name) @definition.method

(import_require_clause source: (string) @source) @reference.import
; Accessors of an interface; its other members are part of its text
(interface_body (method_signature ["get" "set"] name: (_) @name) @definition.method)
