; Kernels, functions, and the variables of the module.

(function (function_kind) @context name: (name) @name) @item
(function_declaration (function_kind) @context name: (name) @name) @item
(module (variable_declaration declarator: (declarator name: (name) @name)) @item)
