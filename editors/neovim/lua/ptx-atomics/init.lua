--- Starts `ptx-atomics lsp` for PTX buffers. A thin client: everything it shows comes from the server.
--- Works from Neovim 0.7 on.
local M = {}

--- The command that starts the server; `setup { cmd = { '/path/to/ptx-atomics', 'lsp' } }` sets another.
M.cmd = { 'ptx-atomics', 'lsp' }

--- Settings that the server is started with: `target`, `ptxVersion`, `enable`, `disable`.
M.settings = {}

--- Whether a buffer holds PTX: the ending `.ptx` is shared with PreTeXt and laser scans, PTX has a `.version` or `.target`.
function M.is_ptx(buffer)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 500, false)) do
    if line:match('^%s*%.version%s') or line:match('^%s*%.target%s') then
      return true
    end
  end
  return false
end

local client_of_root = {}

--- Attaches a buffer to the server, starting one for its folder where none runs.
function M.attach(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local root = vim.fn.fnamemodify(name, ':p:h')
  local config = { name = 'ptx-atomics', cmd = M.cmd, root_dir = root, init_options = M.settings }
  if vim.lsp.start then
    vim.api.nvim_buf_call(buffer, function()
      vim.lsp.start(config)
    end)
    return
  end
  local client = client_of_root[root]
  if not client or not vim.lsp.get_client_by_id(client) then
    client = vim.lsp.start_client(config)
    client_of_root[root] = client
  end
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

--- Changes command and settings.
function M.setup(options)
  options = options or {}
  M.cmd = options.cmd or M.cmd
  M.settings = options.settings or M.settings
end

return M
