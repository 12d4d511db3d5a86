" Highlighting without a tree-sitter parser. There are no mnemonics here: the word at the start of a statement is an opcode.
if exists('b:current_syntax')
  finish
endif
syntax match ptxOpcode /\%(^\|[;{}:]\|@!\?[%$_A-Za-z][[:alnum:]_$]*\)\s*\zs\l[[:alnum:]_]*/ nextgroup=ptxModifier
syntax match ptxModifier /\.[[:alnum:]_:]\+/ contained nextgroup=ptxModifier,ptxType
syntax match ptxDirective /\%(^\|[[:space:](,]\)\zs\.\l[[:alnum:]_]*/
syntax match ptxType /\.\%([subf]\%(8\|16\|32\|64\|128\)\|pred\|f16x2\|bf16\%(x2\)\?\|tf32\|v[248]\)\>/
syntax match ptxRegister /%[[:alnum:]_$]\+/
syntax match ptxLabel /^\s*\zs[$_[:alpha:]][[:alnum:]_$]*\ze:/
syntax match ptxNumber /\<\d[[:alnum:]_.]*\>/
syntax region ptxString start=/"/ end=/"/ oneline
syntax match ptxComment /\/\/.*$/
syntax region ptxComment start=/\/\*/ end=/\*\//
highlight default link ptxOpcode Statement
highlight default link ptxModifier Statement
highlight default link ptxDirective PreProc
highlight default link ptxType Type
highlight default link ptxRegister Identifier
highlight default link ptxLabel Label
highlight default link ptxNumber Number
highlight default link ptxString String
highlight default link ptxComment Comment
let b:current_syntax = 'ptx'
