" What editing PTX needs to know about its comments.
setlocal commentstring=//\ %s
setlocal comments=s1:/*,mb:*,ex:*/,://
let b:undo_ftplugin = 'setlocal commentstring< comments<'
