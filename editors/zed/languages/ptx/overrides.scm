; Where brackets are not closed: `not_in` of config.toml.

(comment) @comment
(string) @string
