; Other languages inside PTX: remarks in comments.

((comment) @injection.content
  (#set! injection.language "comment"))
