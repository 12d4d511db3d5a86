; Colours. Later patterns win over earlier ones. No mnemonic is named here: an opcode is an opcode.

[(comment) (offset) (encoding) (annotation)] @comment
(string) @string
(integer) @number
(float) @number.float
(set) @number

(register) @variable
(bank name: (register) @variable.builtin)
(label) @label
(label_reference) @label
(relocation) @label

(opcode) @function.builtin
(guard) @keyword.conditional
[(control) (control_code)] @attribute

(directive_name) @keyword.directive
(tag) @attribute
(arguments (name) @variable.member)
(section name: (name) @namespace)
(function name: (name) @function)
(image target: (name) @constant)
(property) @keyword.directive
(rule) @punctuation.special

["[" "]" "{" "}" "(" ")" "|"] @punctuation.bracket
["," ";"] @punctuation.delimiter
["+" "-" "!" "~"] @operator
