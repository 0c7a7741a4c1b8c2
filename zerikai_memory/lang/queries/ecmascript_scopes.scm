; What names mean in JavaScript and TypeScript: scopes, local declarations, what a module gives out.
[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @mark.block
[(function_declaration) (generator_function_declaration) (function_expression) (generator_function)
 (arrow_function) (method_definition)] @mark.function

; Names that stand before a dot or a call: only what these are bound to is kept
(call_expression function: (identifier) @word.head)
(new_expression constructor: (identifier) @word.head)
(member_expression object: (identifier) @word.head)
(member_expression object: (member_expression property: (property_identifier) @word.head))
(variable_declarator value: (identifier) @word.head)
(assignment_expression right: (identifier) @word.head)
(export_statement value: (identifier) @word.head)
(export_specifier name: (identifier) @word.head)
(shorthand_property_identifier) @word.head
(pair value: (identifier) @word.head)

(variable_declarator) @reference.variable
(formal_parameters) @reference.parameters
(arrow_function parameter: (identifier) @reference.parameters)
(catch_clause parameter: (_) @reference.parameters)
(for_in_statement left: (_) @reference.loop)
(statement_block [(function_declaration) (generator_function_declaration) (class_declaration)] @reference.local)
(statement_block (export_statement declaration: [(function_declaration) (class_declaration)] @reference.local))
(assignment_expression left: (member_expression object: (this) property: (_) @name)
  right: [(identifier) (member_expression) (new_expression) (call_expression)] @value) @reference.field

(assignment_expression left: (identifier) @reference.again right: (_) @value)

(export_statement) @reference.given
(assignment_expression left: [(identifier) (member_expression)] @target right: (_) @value
  (#match? @target "^(module\\.)?exports(\\.[A-Za-z0-9_$]+)?$")) @reference.assigned

(return_statement (_) @value) @reference.return
(arrow_function body: (_) @value) @reference.return
; Names behind brackets, `await` and an index
(await_expression (identifier) @word.head)
(subscript_expression object: (identifier) @word.head)
(for_in_statement right: (identifier) @word.head)
(return_statement (identifier) @word.head)

; Names of the file's own top and of its imports: only reads of those are kept
(import_clause (identifier) @word.outer)
(namespace_import (identifier) @word.outer)
(import_specifier name: (identifier) @word.outer)
(import_specifier alias: (identifier) @word.outer)
(program [(function_declaration name: (_) @word.outer) (class_declaration name: (_) @word.outer)])
(program (_ (variable_declarator name: (identifier) @word.outer)))
(program (_ (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @word.outer))))
(program (export_statement declaration: [(function_declaration name: (_) @word.outer)
  (class_declaration name: (_) @word.outer) (_ (variable_declarator name: (identifier) @word.outer))]))
; Values that are read: handed on, kept, given back or compared
(arguments [(identifier) (member_expression)] @reference.read)
(array [(identifier) (member_expression)] @reference.read)
(pair value: [(identifier) (member_expression)] @reference.read)
(shorthand_property_identifier) @reference.read
(return_statement [(identifier) (member_expression)] @reference.read)
(variable_declarator value: [(identifier) (member_expression)] @reference.read)
(assignment_expression right: [(identifier) (member_expression)] @reference.read)
(assignment_pattern right: [(identifier) (member_expression)] @reference.read)
(ternary_expression [(identifier) (member_expression)] @reference.read)
(binary_expression [(identifier) (member_expression)] @reference.read)
(template_substitution [(identifier) (member_expression)] @reference.read)
(subscript_expression object: (identifier) @reference.read)
