(field_definition property: (_) @name value: (_)) @definition.field
