; Definitions, for code navigation.

(function name: (name) @name) @definition.function
(section name: (name) @name) @definition.module
