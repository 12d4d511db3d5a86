--- `:checkhealth ptx-atomics`.
local lsp = require('ptx-atomics.lsp')
local M = {}

-- Neovim 0.7 has these as `report_…` in a module of its own.
local report = vim.health or require('health')
local function say(kind)
  return report[kind] or report['report_' .. kind]
end

function M.check()
  local options = require('ptx-atomics').options
  say('start')('ptx-atomics')
  local version = vim.version()
  say('ok')(('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch))

  local binary = options.cmd[1]
  if vim.fn.executable(binary) == 1 then
    say('ok')(vim.trim(vim.fn.system({ binary, '--version' })) .. ': ' .. vim.fn.exepath(binary))
  else
    say('error')(binary .. ' cannot be run', {
      'cargo install --path server/cli, in the repository, puts it into the path',
      "or: require('ptx-atomics').setup { cmd = { '/path/to/ptx-atomics', 'lsp' } }",
    })
  end

  local clients = lsp.clients()
  if #clients == 0 then
    say('warn')('the server does not run: no PTX file is open, or it could not start (:PtxAtomics log)')
  end
  for _, client in ipairs(clients) do
    say('ok')(('the server runs for %d buffers'):format(#lsp.buffers(client)))
  end

  if not vim.treesitter.start then
    say('ok')('colours come from syntax/ptx.vim: this Neovim cannot choose a parser by file type')
  elseif #vim.api.nvim_get_runtime_file('parser/ptx.so', true) > 0 then
    say('ok')('the tree-sitter parser is there')
  else
    say('warn')('no tree-sitter parser; colours come from syntax/ptx.vim and the server', { ':PtxAtomics parser builds it' })
  end
end

return M
