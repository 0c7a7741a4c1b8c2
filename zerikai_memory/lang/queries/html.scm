; Which elements are worth a name is decided by the hook, from the start tag.
(element [(start_tag (tag_name) @name) (self_closing_tag (tag_name) @name)] @tag) @definition.element
([(script_element (start_tag (tag_name) @name) @tag) (style_element (start_tag (tag_name) @name) @tag)]) @definition.element
(comment) @mark.comment
(element . (start_tag (tag_name) @heading) (#match? @heading "^([hH][1-6]|legend|caption|summary)$")) @mark.heading

([(start_tag (tag_name) @tag) (self_closing_tag (tag_name) @tag)] @reference.link
  (#match? @tag "^([lL][iI][nN][kK]|[sS][cC][rR][iI][pP][tT]|iframe|frame)$"))
([(start_tag (tag_name) @reference.component) (self_closing_tag (tag_name) @reference.component)]
  (#match? @reference.component "[-A-Z]"))

((attribute (attribute_name) @attribute [(quoted_attribute_value) (attribute_value)] @reference.selector)
  (#any-of? @attribute "class" "id" "CLASS" "ID" "className"))

((attribute (attribute_name) @event [(quoted_attribute_value) (attribute_value)] @reference.handler)
  (#match? @event "^(on[a-z]+|on:[a-z]+|v-on:[-a-z]+.*|@[a-z].*)$"))
