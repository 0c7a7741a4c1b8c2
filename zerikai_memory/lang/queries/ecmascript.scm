; JavaScript and TypeScript: node types that both grammars share.
; Holders come first: they claim the function or class they are bound to (Source.bound).
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function) (class) (object) (call_expression)
          (parenthesized_expression) (assignment_expression)]) @definition.variable
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(assignment_expression
  left: [(identifier) (member_expression) (subscript_expression)] @name
  right: [(arrow_function) (function_expression) (generator_function) (class) (object) (call_expression)
          (parenthesized_expression) (assignment_expression)]) @definition.assignment
(pair key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function) (class) (object)
          (parenthesized_expression)]) @definition.pair
(export_statement "default" value: (_) @value) @definition.default
(call_expression function: (member_expression) @callee
  arguments: (arguments . (_) @name . (object) @scope.assign) (#eq? @callee "Object.assign"))

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.method
; Expressions with a name of their own that nothing above has claimed
(function_expression name: (_) @name) @definition.function
(generator_function name: (_) @name) @definition.function
(class name: (_) @name) @definition.class

; Names that an export list or module.exports names
(export_specifier name: (identifier) @word.exported)
(export_statement value: (identifier) @word.exported)
(assignment_expression left: (_) @target right: (identifier) @word.exported
  (#match? @target "^(module\\.)?exports(\\.|$)"))
(assignment_expression left: (_) @target
  right: (object [(shorthand_property_identifier) @word.exported
                  (pair key: (property_identifier) @word.exported)
                  (method_definition name: (property_identifier) @word.exported)])
  (#any-of? @target "module.exports" "exports"))
(comment) @mark.comment
(decorator) @mark.decorator
((call_expression function: (identifier) @callee
   arguments: (arguments . (_) . [(arrow_function) (function_expression)])) @mark.test
  (#any-of? @callee "it" "test" "describe" "suite" "context" "specify" "beforeEach" "bench"))

(call_expression function: [(identifier) (member_expression)] @reference.call)
(new_expression constructor: [(identifier) (member_expression)] @reference.call)
; require("m")() and require("m")["name"]()
(call_expression function: (call_expression function: (identifier) @callee
  arguments: (arguments . (string))) @reference.call (#eq? @callee "require"))
(call_expression function: (subscript_expression index: (string)) @reference.call)
(call_expression function: [(identifier) (import)] @callee
  arguments: (arguments . (string) @reference.require) (#any-of? @callee "require" "import"))
; What a test replaces: jest.mock("./m"), jest.spyOn(owner, "name")
(call_expression function: (member_expression) @callee arguments: (arguments . (string) @reference.require)
  (#match? @callee "^(jest|vi)\\.(mock|doMock|requireActual|requireMock|importActual|importMock)$"))
(call_expression function: (member_expression) @callee
  arguments: (arguments . [(identifier) (member_expression)] @reference.replaced . (string) @key)
  (#match? @callee "^((jest|vi)\\.spyOn|sinon\\.(stub|spy|replace))$"))
(import_statement source: (string) @source) @reference.import
(export_statement source: (string) @source) @reference.export
(assignment_expression left: (member_expression) @reference.patch
  right: [(identifier) (member_expression)] @value)
; Methods of the object that is exported are the functions of the file
(assignment_expression left: (_) @target right: (object (method_definition) @mark.exports)
  (#any-of? @target "module.exports" "exports"))
