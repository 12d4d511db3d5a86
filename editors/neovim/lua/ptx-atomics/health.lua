--- `:checkhealth ptx-atomics`.
local lsp = require('ptx-atomics.lsp')
local M = {}

-- Neovim 0.7 has these functions as `report_…` in another module.
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
    say('error')('cannot execute ' .. binary, {
      'install it with `cargo install --profile dist --features dist --path server/cli` in the repository',
      "or set its path: require('ptx-atomics').setup { cmd = { '/path/to/ptx-atomics', 'lsp' } }",
    })
  end

  for option, where in pairs({ cuda = 'asm statements of CUDA C++', python = 'inline assembly of Python (Triton and others)' }) do
    local state = options[option] and 'is checked in files that have some' or ('is not checked: setup { %s = true }'):format(option)
    say('ok')(('PTX in %s %s'):format(where, state))
  end

  local clients = lsp.clients()
  if #clients == 0 then
    say('warn')('the server is not running: no file with PTX is open, or it failed to start (see :PtxAtomics log)')
  end
  for _, client in ipairs(clients) do
    say('ok')(('the server is attached to %d buffers'):format(#lsp.buffers(client)))
  end

  if not vim.treesitter.start then
    say('ok')('highlighting by syntax/ptx.vim: this version of Neovim cannot select a parser by file type')
  elseif #vim.api.nvim_get_runtime_file('parser/ptx.so', true) > 0 then
    say('ok')('tree-sitter parser found')
  else
    say('warn')('no tree-sitter parser; highlighting by syntax/ptx.vim and the server', {
      'build it with :PtxAtomics parser, which requires a C compiler',
      'nvim-treesitter: its parser `ptx`, if any, is another grammar; see :help ptx-atomics-treesitter',
    })
  end
end

return M
