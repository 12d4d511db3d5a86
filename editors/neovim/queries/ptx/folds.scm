; What can be folded away.

[(block) (parameters) (section_body) (initialiser_list)] @fold
