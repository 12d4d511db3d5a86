; The highlights of the grammar, with the scopes of Helix. Later patterns take precedence over earlier ones.

(comment) @comment
(line_marker) @keyword.directive
(string) @string
(integer) @constant.numeric.integer
(float) @constant.numeric.float
(warp_size) @constant.builtin

(name) @variable
((name) @variable.builtin
  (#match? @variable.builtin "^[%](tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|smid|nsmid|gridid|clock|clock64|clock_hi|clusterid|nclusterid|globaltimer)"))
(selector) @variable.other.member
(address) @variable
(vector) @variable
(predicate_pair) @variable
(sink) @constant.builtin
(section_name) @namespace
(section_data) @constant.numeric.integer

(target_directive (name) @constant)
(parameter name: (name) @variable.parameter)
(function name: (name) @function)
(function_declaration name: (name) @function)
(instruction operand: (name) @function . "," . arguments: (argument_list))
(label) @label
(instruction operand: (name) @label (#match? @label "^\\$"))
(branch_targets target: (name) @label)
(call_targets target: (name) @function)

(opcode) @function.builtin
(modifier) @function.builtin
(guard) @keyword.control.conditional

(type) @type.builtin
(vector_size) @type.builtin
(space) @keyword.storage.modifier
(linkage) @keyword.storage.modifier
(function_kind) @keyword.function
(pointer) @keyword.storage.modifier
(loc_directive) @keyword.directive

[
  ".version" ".target" ".address_size" ".file" ".pragma" ".alias" ".section" "@@DWARF"
  ".reg" ".align" ".attribute" ".managed" ".unified" ".callprototype" ".calltargets" ".branchtargets"
  ".maxnreg" ".maxntid" ".reqntid" ".minnctapersm" ".maxnctapersm" ".maxclusterrank" ".reqnctapercluster"
  ".explicitcluster" ".blocksareclusters" ".noreturn" ".abi_preserve" ".abi_preserve_control" ".local_maxnreg" ".language"
] @keyword.directive
(version) @constant.numeric.float

["+" "-" "*" "/" "%" "~" "!" "&" "|" "^" "<<" ">>" "==" "!=" "<=" ">=" "&&" "||" "?" "="] @operator
["(" ")" "{" "}" "[" "]"] @punctuation.bracket
["," ";"] @punctuation.delimiter
