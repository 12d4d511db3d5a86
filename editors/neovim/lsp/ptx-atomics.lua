-- For `vim.lsp.enable('ptx-atomics')`, from Neovim 0.11 on.
local plugin = require('ptx-atomics')

return vim.tbl_extend('force', plugin.config(), {
  filetypes = vim.tbl_keys(plugin.languages),
  root_dir = function(buffer, start)
    if plugin.is_ours(buffer) then
      start(plugin.root(buffer))
    end
  end,
})
