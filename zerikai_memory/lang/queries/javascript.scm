(field_definition property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function) (class) (call_expression)
          (parenthesized_expression)]) @definition.field
