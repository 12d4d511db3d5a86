(function body: (block) @function.inside) @function.around
(function_declaration) @function.around
(comment)+ @comment.around
