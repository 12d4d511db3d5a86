--- Inlay hints. Neovim shows them from 0.10 on. In older versions, the results of evaluation comments are shown at the ends of lines.
local lsp = require('ptx-atomics.lsp')
local M = {}

local namespace = vim.api.nvim_create_namespace('ptx-atomics-hints')
local PAUSE = 150

--- The hints at the ends of lines: older versions cannot show text elsewhere.
local function draw(buffer, hints)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local lines = vim.api.nvim_buf_line_count(buffer)
  for _, hint in ipairs(hints) do
    if hint.paddingLeft and hint.position.line < lines then
      local text = { { hint.label, 'Comment' } }
      vim.api.nvim_buf_set_extmark(buffer, namespace, hint.position.line, 0, { virt_text = text })
    end
  end
end

local function ask(buffer)
  local client = vim.api.nvim_buf_is_loaded(buffer) and lsp.clients(buffer)[1]
  if not client then
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local range = {
    start = { line = 0, character = 0 },
    ['end'] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 },
  }
  local parameters = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, range = range }
  lsp.request(client, 'textDocument/inlayHint', parameters, function(_, hints)
    local current = vim.api.nvim_buf_is_loaded(buffer) and vim.api.nvim_buf_get_changedtick(buffer) == tick
    if current and hints then
      draw(buffer, hints)
    end
  end, buffer)
end

local function ask_after_edits(buffer)
  local pending
  local function later()
    if pending then
      vim.fn.timer_stop(pending)
    end
    pending = vim.fn.timer_start(PAUSE, function()
      pending = nil
      ask(buffer)
    end)
  end
  vim.api.nvim_buf_attach(buffer, false, { on_lines = vim.schedule_wrap(later), on_reload = vim.schedule_wrap(later) })
  -- A server that has just started does not answer yet.
  local attempts = 0
  local function first()
    attempts = attempts + 1
    local client = lsp.clients(buffer)[1]
    if client and client.initialized then
      ask(buffer)
    elseif attempts < 100 and vim.api.nvim_buf_is_loaded(buffer) then
      vim.fn.timer_start(PAUSE, first)
    end
  end
  first()
end

local watched = {}

--- Shows the hints of a buffer, and updates them after changes.
function M.watch(buffer)
  if watched[buffer] then
    return
  end
  watched[buffer] = true
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buffer,
    once = true,
    callback = function()
      watched[buffer] = nil
    end,
  })
  if vim.lsp.inlay_hint and vim.lsp.inlay_hint.enable then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  else
    ask_after_edits(buffer)
  end
end

--- The displayed results, for tests: line and text of each; none if Neovim itself shows them.
function M.shown(buffer)
  return lsp.shown(buffer, namespace)
end

return M
