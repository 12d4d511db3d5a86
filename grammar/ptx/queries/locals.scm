; What is defined where. Names inside leaves (an address, a vector, a guard, the colon of a label) are beyond a query; the
; language server knows them.

[(module) (function) (function_declaration) (block)] @local.scope

(declarator name: (name) @local.definition.var)
(parameter name: (name) @local.definition.parameter)
(function name: (name) @local.definition.function)
(function_declaration name: (name) @local.definition.function)

(instruction operand: (name) @local.reference)
(argument_list (name) @local.reference)
(register_offset base: (name) @local.reference)
(subscript base: (name) @local.reference)
(negated_operand operand: (name) @local.reference)
(guard predicate: (name) @local.reference)
