; The name of a rule is cut out by the hook: the text before its block.
(rule_set (block) @block) @definition.rule
(keyframes_statement (keyframe_block_list) @block) @definition.rule
(at_rule (at_keyword) @keyword (block) @block) @definition.rule
(media_statement (block) @block) @definition.rule
(supports_statement (block) @block) @definition.rule
(scope_statement (block) @block) @definition.rule

(declaration . (property_name) @name (#match? @name "^--")) @definition.property
; A variable of SCSS or LESS: the disguise makes `$name: value;` an at-rule without a block
(at_rule (at_keyword) @name) @definition.property

[(comment) (js_comment)] @mark.comment

(import_statement) @reference.import
((at_rule (at_keyword) @keyword) @reference.import (#match? @keyword "^@(use|forward)$"))
((call_expression (function_name) @function (arguments . (plain_value) @reference.call)) (#eq? @function "var"))
