--- Functions that hide the differences between the versions of Neovim's LSP client.
local M = {}

--- The name of our client.
M.NAME = 'ptx-atomics'

--- Whether Neovim starts servers by `vim.lsp.config` and `vim.lsp.enable`.
function M.by_config()
  return vim.fn.has('nvim-0.11') == 1
end

--- The clients of this plugin, of a buffer or all of them.
function M.clients(buffer)
  local all
  if vim.lsp.get_clients then
    all = vim.lsp.get_clients({ bufnr = buffer, name = M.NAME })
  elseif buffer then
    all = vim.tbl_values(vim.lsp.buf_get_clients(buffer))
  else
    all = vim.lsp.get_active_clients()
  end
  return vim.tbl_filter(function(client)
    return client.name == M.NAME
  end, all)
end

--- The client of a buffer; if there is none, warns and returns nil.
function M.client(buffer)
  local client = M.clients(buffer)[1]
  if not client then
    vim.notify('ptx-atomics: no server is attached to this buffer; see :checkhealth ptx-atomics', vim.log.levels.WARN)
  end
  return client
end

--- The buffers that a client is attached to.
function M.buffers(client)
  if client.attached_buffers then
    return vim.tbl_keys(client.attached_buffers)
  end
  return vim.lsp.get_buffers_by_client_id(client.id)
end

--- Sends a request. Returns its number.
function M.request(client, method, parameters, handler, buffer)
  local _, number
  if M.by_config() then
    _, number = client:request(method, parameters, handler, buffer)
  else
    _, number = client.request(method, parameters, handler, buffer)
  end
  return number
end

function M.notify(client, method, parameters)
  if M.by_config() then
    client:notify(method, parameters)
  else
    client.notify(method, parameters)
  end
end

function M.stop(client)
  if M.by_config() then
    client:stop()
  else
    client.stop()
  end
end

--- Changes one setting of a running server.
function M.set(client, key, value)
  client.config.settings = client.config.settings or {}
  local settings = client.settings or client.config.settings
  settings.ptxAtomics = settings.ptxAtomics or {}
  settings.ptxAtomics[key] = value
  client.config.settings = settings
  M.notify(client, 'workspace/didChangeConfiguration', { settings = settings })
end

--- The texts behind lines in a namespace, for tests: line (from 0) and text of each.
function M.shown(buffer, namespace)
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })) do
    local texts = vim.tbl_map(function(piece)
      return piece[1]
    end, mark[4].virt_text)
    table.insert(found, { line = mark[2], text = table.concat(texts) })
  end
  return found
end

--- The path of Neovim's LSP log.
function M.log_file()
  if vim.lsp.log and vim.lsp.log.get_filename then
    return vim.lsp.log.get_filename()
  end
  return vim.lsp.get_log_path()
end

return M
