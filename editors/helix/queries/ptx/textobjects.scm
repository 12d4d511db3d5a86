; Objects to select and to move by.

(function) @function.around
(function body: (block) @function.inside)
(parameter) @parameter.around
(parameter name: (_) @parameter.inside)
(instruction operand: (_) @parameter.around)
(comment) @comment.around
