; The highlights of the grammar, with the scopes of Helix. Later patterns take precedence over earlier ones.

[(comment) (offset) (encoding) (annotation)] @comment
(string) @string
(integer) @constant.numeric.integer
(float) @constant.numeric.float
(set) @constant.numeric.integer

(register) @variable
(bank name: (register) @variable.builtin)
(label) @label
(label_reference) @label
(relocation) @label

(opcode) @function.builtin
(guard) @keyword.control.conditional
[(control) (control_code)] @attribute

(directive_name) @keyword.directive
(tag) @attribute
(arguments (name) @variable.other.member)
(section name: (name) @namespace)
(function name: (name) @function)
(image target: (name) @constant)
(property) @keyword.directive
(rule) @punctuation

["[" "]" "{" "}" "(" ")" "|"] @punctuation.bracket
["," ";"] @punctuation.delimiter
["+" "-" "!" "~"] @operator
