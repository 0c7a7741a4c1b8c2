[(jsx_element) (jsx_self_closing_element)] @mark.jsx
(jsx_opening_element name: [(identifier) (member_expression)] @reference.element)
(jsx_self_closing_element name: [(identifier) (member_expression)] @reference.element)
(jsx_opening_element name: (identifier) @word.head)
(jsx_self_closing_element name: (identifier) @word.head)

((jsx_attribute (property_identifier) @attribute (string) @reference.selector)
  (#any-of? @attribute "className" "class" "id"))
(jsx_expression [(identifier) (member_expression)] @reference.read)
