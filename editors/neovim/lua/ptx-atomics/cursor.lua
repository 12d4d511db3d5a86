--- Reports the line of the cursor: the server shows what it withholds while one types, once the cursor has left the statement.
local lsp = require('ptx-atomics.lsp')
local M = {}

local METHOD = 'ptxAtomics/cursor'

--- Reports each other line that the cursor comes to in a buffer.
function M.watch(buffer)
  local line
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI' }, {
    buffer = buffer,
    group = vim.api.nvim_create_augroup('ptx-atomics-cursor-' .. buffer, { clear = true }),
    callback = function()
      local current = vim.api.nvim_win_get_cursor(0)[1] - 1
      if current == line then
        return
      end
      line = current
      for _, client in ipairs(lsp.clients(buffer)) do
        if client.initialized then
          local place = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = 0 } }
          lsp.notify(client, METHOD, place)
        end
      end
    end,
  })
end

return M
