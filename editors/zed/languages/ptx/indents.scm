(block "}" @end) @indent
(parameters ")" @end) @indent
(argument_list ")" @end) @indent
