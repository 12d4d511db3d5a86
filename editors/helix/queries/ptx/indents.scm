; Braces and parentheses indent their contents.

[(block) (parameters) (section_body) (initialiser_list) (argument_list)] @indent
["}" ")"] @outdent
