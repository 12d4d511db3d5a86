--- From PTX to the source line that it was generated from, and back.
local lsp = require('ptx-atomics.lsp')
local M = {}

--- Goes to the first place of an answer.
local function go_to(err, found, nothing)
  local place = type(found) == 'table' and (found[1] or (found.uri or found.targetUri) and found)
  if err or not place then
    return vim.notify('ptx-atomics: ' .. (err and err.message or nothing), vim.log.levels.WARN)
  end
  local start = (place.range or place.targetSelectionRange).start
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_buf(0, vim.uri_to_bufnr(place.uri or place.targetUri))
  vim.api.nvim_win_set_cursor(0, { start.line + 1, start.character })
end

local function ask(method, column, nothing)
  local buffer = vim.api.nvim_get_current_buf()
  local client = lsp.client(buffer)
  if client then
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1
    local place = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = column } }
    lsp.request(client, method, place, function(err, found)
      go_to(err, found, nothing)
    end, buffer)
  end
end

--- Goes to the source line of the PTX at the cursor.
function M.source()
  local line = vim.api.nvim_get_current_line()
  local _, labels = line:find('^%s*[%w_$%%]+:%s*')
  local _, guard = line:find('^%s*@!?%s*[%w_$%%]+%s+', (labels or 0) + 1)
  local _, blank = line:find('^%s*')
  ask('textDocument/definition', guard or labels or blank, 'no source line; compile with -lineinfo')
end

--- Goes to the PTX that was generated from the line at the cursor.
function M.ptx()
  ask('textDocument/implementation', 0, 'no PTX of this line; compile with -lineinfo and open the module')
end

return M
