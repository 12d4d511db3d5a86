; Objects to select and to move by.

(function) @function.outer
(function body: (block) @function.inner)
(block) @block.outer
(basic_block) @block.inner
(parameter) @parameter.outer
(parameter name: (_) @parameter.inner)
(instruction operand: (_) @parameter.outer)
(instruction) @statement.outer
(instruction arguments: (argument_list) @call.inner) @call.outer
(comment) @comment.outer
[(integer) (float)] @number.inner
