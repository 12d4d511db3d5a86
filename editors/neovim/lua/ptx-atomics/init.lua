--- Starts `ptx-atomics lsp` for PTX buffers. All content comes from the server.
--- Works from Neovim 0.7 on; from 0.11 on by `vim.lsp.config` and `vim.lsp.enable`.
local content = require('ptx-atomics.content')
local lsp = require('ptx-atomics.lsp')
local M = {}

--- The options of `setup`.
M.options = {
  --- The command that starts the server.
  cmd = { 'ptx-atomics', 'lsp' },
  --- Settings of the server: `target`, `ptxVersion`, `enable`, `disable`, `inlayHints`, `diagnosticsDelay` and others.
  settings = {},
  --- Whether hints are shown: results of evaluation comments, and from Neovim 0.10 on the inlay hints that `settings` enables.
  hints = true,
  --- Whether tree-sitter highlights the text, if its parser is installed (`:PtxAtomics parser` builds it).
  treesitter = true,
  --- Whether PTX in `asm` strings of CUDA C++ and C++ is supported.
  cuda = true,
  --- Whether PTX in the inline assembly of Python is supported.
  python = true,
}

--- The supported file types, each with its language id.
M.languages = { ptx = 'ptx', nvsass = 'nvsass', ptxlitmus = 'ptx-litmus', cuda = 'cuda-cpp', cpp = 'cpp', python = 'python' }

--- The file types with PTX in strings, each with the option that enables it.
local hosts = { cuda = 'cuda', cpp = 'cuda', python = 'python' }

M.is_ptx = content.is_ptx

--- Whether Neovim pulls diagnostics but does not support `workspace/diagnostic/refresh` (0.10). Then it must not pull them, so that
--- the server pushes them.
local function cannot_ask_again(capabilities)
  local diagnostics = capabilities.workspace.diagnostics
  return capabilities.textDocument.diagnostic ~= nil and not (diagnostics and diagnostics.refreshSupport)
end

local REFRESH = 'workspace/diagnostic/refresh'

--- Pulls the diagnostics of all open files again. Neovim 0.12 does that only for files that are not open.
local function refresh(...)
  local _, _, context = ...
  local answer = vim.lsp.handlers[REFRESH](...)
  local client = vim.lsp.get_client_by_id(context.client_id)
  for _, buffer in ipairs(client and lsp.buffers(client) or {}) do
    local parameters = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, identifier = lsp.NAME }
    lsp.request(client, 'textDocument/diagnostic', parameters, nil, buffer)
  end
  return answer
end

--- The server's settings.
local function settings()
  local enabled = { cuda = { enable = M.options.cuda }, python = { enable = M.options.python } }
  return { ptxAtomics = vim.tbl_extend('keep', M.options.settings, enabled) }
end

--- The configuration of the server, for `vim.lsp.start`.
function M.config()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  -- Results of evaluations and runs are shown in the text, those of checks as diagnostics.
  local shown = { evaluationResults = true, kernelRuns = true, kernelChecks = true }
  capabilities.experimental = vim.tbl_extend('force', capabilities.experimental or {}, shown)
  local sent = cannot_ask_again(capabilities)
  if sent then
    capabilities.textDocument.diagnostic = nil
  end
  return {
    capabilities = capabilities,
    handlers = vim.lsp.handlers[REFRESH] and { [REFRESH] = refresh } or nil,
    on_init = function(client)
      if sent then
        client.server_capabilities.diagnosticProvider = nil
      end
    end,
    name = lsp.NAME,
    cmd = M.options.cmd,
    settings = settings(),
    get_language_id = function(_, filetype)
      return M.languages[filetype] or filetype
    end,
  }
end

--- The root folder of a buffer: the nearest with settings or a repository, else that of the file.
function M.root(buffer)
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h')
  for _, mark in ipairs({ 'ptx-atomics.toml', '.git' }) do
    local found = vim.fn.findfile(mark, folder .. ';')
    found = found ~= '' and found or vim.fn.finddir(mark, folder .. ';')
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p'):gsub('/$', ''):match('^(.*)/[^/]+$')
    end
  end
  return folder
end

local client_of_root = {}

--- Attaches a buffer to the server of its root folder, and starts the server if necessary. From 0.11 on, Neovim does this for
--- opened files.
function M.attach(buffer)
  local root = M.root(buffer)
  local config = lsp.by_config() and vim.lsp.config[lsp.NAME] or M.config()
  config = vim.tbl_extend('force', config, { root_dir = root })
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

--- Whether a buffer is supported, by its file type and its text: C++ and Python need to have PTX in their strings.
function M.is_ours(buffer)
  local option = hosts[vim.bo[buffer].filetype]
  if option and not M.options[option] then
    return false
  end
  local check = vim.api.nvim_buf_is_loaded(buffer) and content.checks[vim.bo[buffer].filetype]
  return check and check(buffer) or false
end

--- Called for each buffer with a supported file type.
function M.opened(buffer)
  if not M.is_ours(buffer) then
    return
  end
  if not lsp.by_config() then
    M.attach(buffer)
  end
  require('ptx-atomics.cursor').watch(buffer)
  if M.options.hints then
    require('ptx-atomics.hints').watch(buffer)
  end
  if M.options.treesitter and vim.treesitter.start and not hosts[vim.bo[buffer].filetype] then
    local language = vim.bo[buffer].filetype == 'nvsass' and 'sass' or vim.bo[buffer].filetype
    pcall(vim.treesitter.start, buffer, language)
  end
end

--- Called when a buffer was written: it may have got its first PTX.
function M.written(buffer)
  if hosts[vim.bo[buffer].filetype] and #lsp.clients(buffer) == 0 and M.is_ours(buffer) then
    M.opened(buffer)
    if lsp.by_config() then
      M.attach(buffer)
    end
  end
end

--- Changes options; optional. Call it before the first file is opened.
function M.setup(options)
  M.options = vim.tbl_deep_extend('force', M.options, options or {})
  if lsp.by_config() then
    vim.lsp.config(lsp.NAME, { cmd = M.options.cmd, settings = settings() })
  end
end

return M
