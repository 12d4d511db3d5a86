; What can be folded away: the code and data of a section, the code of a function.

[(section) (function)] @fold
