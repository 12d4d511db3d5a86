--- "Evaluate": asks for values, and shows the result of the atomic until its line changes.
local lsp = require('ptx-atomics.lsp')
local M = {}

local COMMAND = 'ptxAtomics.evaluate'
local namespace = vim.api.nvim_create_namespace('ptx-atomics-evaluation')

--- Shows a result at the end of a line (from 0) until the line changes.
function M.show(buffer, line, result)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, line, line + 1)
  local mark = vim.api.nvim_buf_set_extmark(buffer, namespace, line, 0, { virt_text = { { result, 'Comment' } } })
  local marked = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1]
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      -- The mark moves with its line. If that line has another text now, the result is outdated.
      local at = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, mark, {})[1]
      if at and vim.api.nvim_buf_get_lines(buffer, at, at + 1, false)[1] == marked then
        return false
      end
      vim.schedule(function()
        vim.api.nvim_buf_del_extmark(buffer, namespace, mark)
      end)
      return true
    end,
  })
end

local function evaluate(client, question, input)
  local buffer = vim.uri_to_bufnr(question.uri)
  local argument = { uri = question.uri, position = question.position, input = input }
  lsp.request(client, 'workspace/executeCommand', { command = COMMAND, arguments = { argument } }, function(err, result)
    M.show(buffer, question.position.line, err and err.message or tostring(result))
  end, buffer)
end

local function ask(client, question)
  vim.ui.input({ prompt = 'Values for the atomic: ', default = question.input }, function(input)
    if input then
      evaluate(client, question, input)
    end
  end)
end

--- The handler of the server's lenses, run by `vim.lsp.codelens.run()`.
function M.run(command, context)
  ask(vim.lsp.get_client_by_id(context.client_id), command.arguments[1])
end

--- Evaluates the atomic at the cursor, with the values that are given or asked for.
function M.here(input)
  local buffer = vim.api.nvim_get_current_buf()
  local client = lsp.client(buffer)
  if not client then
    return
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local uri = vim.uri_from_bufnr(buffer)
  lsp.request(client, 'textDocument/codeLens', { textDocument = { uri = uri } }, function(_, lenses)
    local indent = #vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]:match('^%s*')
    local question = { uri = uri, position = { line = row, character = indent }, input = '' }
    for _, lens in ipairs(lenses or {}) do
      if lens.range.start.line == row then
        question = lens.command.arguments[1]
      end
    end
    if input then
      evaluate(client, question, input)
    else
      ask(client, question)
    end
  end, buffer)
end

--- The displayed results, for tests: line and text of each.
function M.shown(buffer)
  return lsp.shown(buffer, namespace)
end

return M
