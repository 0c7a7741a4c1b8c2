; Where several patterns give a node a kind, the first of this file wins.
(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
; The hook takes the decorators from it: a pattern that captures them all takes quadratic time.
(decorated_definition definition: (_) @definition) @outer

; A name or a class attribute bound to a lambda
(expression_statement
  (assignment left: [(identifier) (attribute)] @name right: (lambda) @lambda) @definition.function)

; Types made by a statement or a call
(type_alias_statement
  left: (type [(identifier) @name (generic_type (identifier) @name)])) @definition.type
(expression_statement
  (assignment left: (identifier) @name type: (type) @type
    (#match? @type "^['\"]?([a-z_]+\\.)?TypeAlias['\"]?$")) @definition.type)
(expression_statement
  (assignment left: (identifier) @name right: (call function: [(identifier) (attribute)] @maker)
    (#match? @maker "^([a-z_]+\\.)?(NewType|TypeVar|ParamSpec|TypeVarTuple|TypeAliasType|namedtuple|NamedTuple|TypedDict|(Int|Str)?Enum|(Int)?Flag)$")) @definition.type)
; A name in CamelCase for a type expression; which those are is told by describe
(expression_statement
  (assignment left: (identifier) @name !type
    right: [(subscript) (binary_operator) (parenthesized_expression) (identifier) (attribute)] @alias
    (#match? @name "^_*[A-Z][A-Za-z0-9_]*[a-z]")) @definition.type)

; Constants: NAME = 1, NAME: type = 1, name: Final = 1, NAME, OTHER = 1, 2
(expression_statement
  (assignment left: (identifier) @name (#match? @name "^_*[A-Z][A-Z0-9_]*$")) @definition.constant)
(expression_statement
  (assignment left: (identifier) @name type: (type) @type
    (#match? @type "^([a-z]+\\.)?Final\\b")) @definition.constant)
(expression_statement
  (assignment left: (pattern_list (identifier) @name @definition.constant)
    (#match? @name "^_*[A-Z][A-Z0-9_]*$")) @statement)

; References
(call function: [(identifier) (attribute)] @reference.call)
; `[[*f(1)]]` is read as a call of `*f`
(call function: (list_splat [(identifier) (attribute)] @reference.call))
[(import_statement) (import_from_statement) (future_import_statement)] @reference.import
(expression_statement
  (assignment left: (attribute) @reference.patch right: [(identifier) (attribute)] @value))
(call function: (identifier) @setattr
  arguments: (argument_list . (_) @reference.setattr . (string) @key . (_) @value)
  (#eq? @setattr "setattr"))

; What a test replaces: patch("package.module.name"), patch.object(owner, "name"), monkeypatch.setattr(owner, "name", ..)
(call function: [(identifier) (attribute)] @callee
  arguments: (argument_list . (string) @reference.replaced)
  (#match? @callee "(^|\\.)patch$|^[A-Za-z_]+\\.(setattr|delattr)$"))
(call function: (attribute) @callee
  arguments: (argument_list . [(identifier) (attribute)] @reference.replaced . (string) @key)
  (#match? @callee "(^|\\.)patch\\.object$|^[A-Za-z_]+\\.(setattr|delattr|spy)$"))

; Bindings: what a name stands for, and names that are read as values
[(assignment) (named_expression) (for_statement) (for_in_clause) (as_pattern) (return_statement) (yield)
  (global_statement) (nonlocal_statement) (lambda_parameters)] @reference.bind
(augmented_assignment left: (identifier) @all (#eq? @all "__all__")) @reference.bind
(call function: (attribute object: (identifier) @all attribute: (identifier) @how)
  arguments: (argument_list . (_) @value .) (#eq? @all "__all__") (#any-of? @how "extend" "append")) @reference.public
; What is bound in these may not be bound after them
(if_statement consequence: (block) @reference.block)
(elif_clause consequence: (block) @reference.block)
(else_clause body: (block) @reference.block)
(try_statement body: (block) @reference.block)
(except_clause (block) @reference.block)
(for_statement body: (block) @reference.block)
(while_statement body: (block) @reference.block)
(case_clause consequence: (block) @reference.block)
[(argument_list [(identifier) (attribute)] @reference.value)
  (keyword_argument value: [(identifier) (attribute)] @reference.value)
  (list [(identifier) (attribute)] @reference.value) (set [(identifier) (attribute)] @reference.value)
  (tuple [(identifier) (attribute)] @reference.value) (pair [(identifier) (attribute)] @reference.value)
  (comparison_operator (attribute) @reference.value) (binary_operator (attribute) @reference.value)
  (boolean_operator (attribute) @reference.value) (not_operator (attribute) @reference.value)
  (if_statement condition: (attribute) @reference.value) (while_statement condition: (attribute) @reference.value)
  (interpolation (attribute) @reference.value) (subscript (attribute) @reference.value)
  (if_clause (attribute) @reference.value) (assert_statement (attribute) @reference.value)]
