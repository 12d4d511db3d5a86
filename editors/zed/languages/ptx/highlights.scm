; Colours by the captures that Zed's themes have. Later patterns win over earlier ones.

(comment) @comment
(line_marker) @preproc
(string) @string
[(integer) (float) (version) (section_data)] @number
(warp_size) @constant

[(name) (address) (vector) (predicate_pair) (sink)] @variable
((name) @variable.special
  (#match? @variable.special "^[%](tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|smid|nsmid|gridid|clock|clock64|clock_hi|clusterid|nclusterid|globaltimer)"))
(selector) @property
(section_name) @constant

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
(modifier) @attribute
(guard) @keyword

[(type) (vector_size)] @type
[(space) (linkage) (function_kind) (pointer)] @keyword
(loc_directive) @preproc

[
  ".version" ".target" ".address_size" ".file" ".pragma" ".alias" ".section" "@@DWARF"
  ".reg" ".align" ".attribute" ".managed" ".unified" ".callprototype" ".calltargets" ".branchtargets"
  ".maxnreg" ".maxntid" ".reqntid" ".minnctapersm" ".maxnctapersm" ".maxclusterrank" ".reqnctapercluster"
  ".explicitcluster" ".blocksareclusters" ".noreturn" ".abi_preserve" ".abi_preserve_control" ".local_maxnreg" ".language"
] @preproc

["+" "-" "*" "/" "%" "~" "!" "&" "|" "^" "<<" ">>" "==" "!=" "<=" ">=" "&&" "||" "?" "="] @operator
["(" ")" "{" "}" "[" "]"] @punctuation.bracket
["," ";"] @punctuation.delimiter
