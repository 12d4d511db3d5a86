; Definitions and calls, for code navigation.

(function name: (name) @name) @definition.function
(function_declaration name: (name) @name) @definition.function
(module (variable_declaration declarator: (declarator name: (name) @name)) @definition.variable)
(instruction operand: (name) @name . "," . arguments: (argument_list)) @reference.call
