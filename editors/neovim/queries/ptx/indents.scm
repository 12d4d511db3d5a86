; Indentation: braces and parentheses move what they hold to the right, labels stand at the left edge.

[(block) (parameters) (section_body) (initialiser_list) (argument_list)] @indent.begin
["}" ")"] @indent.end @indent.branch
(label) @indent.zero
(comment) @indent.ignore
