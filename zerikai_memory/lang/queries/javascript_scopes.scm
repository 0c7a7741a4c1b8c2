(field_definition property: (_) @name value: (_)) @reference.field
