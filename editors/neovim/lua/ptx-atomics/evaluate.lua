--- The lens "Evaluate": asks for values, and shows what the atomic does with them until its line changes.
local M = {}

local namespace = vim.api.nvim_create_namespace('ptx-atomics-evaluation')

--- Shows a result behind a line (from 0), as long as the line stays what it is.
function M.show(buffer, line, result)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, line, line + 1)
  local mark = vim.api.nvim_buf_set_extmark(buffer, namespace, line, 0, { virt_text = { { result, 'Comment' } } })
  local marked = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1]
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      -- The mark moves with its line; what it stands on now says whether that line is still the one that was evaluated.
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

--- The handler of the server's command `ptxAtomics.evaluate`, run by `vim.lsp.codelens.run()`.
function M.run(command, context)
  local question = command.arguments[1]
  local buffer = vim.uri_to_bufnr(question.uri)
  vim.ui.input({ prompt = 'Evaluate with: ', default = question.input }, function(input)
    if not input then
      return
    end
    question.input = input
    local client = vim.lsp.get_client_by_id(context.client_id)
    client.request('workspace/executeCommand', { command = command.command, arguments = { question } }, function(err, result)
      M.show(buffer, question.position.line, err and err.message or tostring(result))
    end, buffer)
  end)
end

--- The virtual texts of results, for tests: line and text of each.
function M.shown(buffer)
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })) do
    table.insert(found, { line = mark[2], text = mark[4].virt_text[1][1] })
  end
  return found
end

return M
