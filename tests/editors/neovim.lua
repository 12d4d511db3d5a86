-- A journey through a real Neovim: nvim --headless -u NONE -c 'luafile tests/editors/neovim.lua'
-- PTX_ATOMICS_BIN is the server, PTX_ATOMICS_ROOT the root of the repository. Prints "journey done" when all went well.
local function journey()
  local root = assert(os.getenv('PTX_ATOMICS_ROOT'), 'PTX_ATOMICS_ROOT')
  vim.opt.runtimepath:prepend(root .. '/editors/neovim')
  require('ptx-atomics').setup({ cmd = { assert(os.getenv('PTX_ATOMICS_BIN'), 'PTX_ATOMICS_BIN'), 'lsp' } })
  vim.cmd('runtime plugin/ptx-atomics.lua')
  vim.cmd('edit ' .. root .. '/tests/fixtures/users/bitwise_on_u32.ptx')
  local buffer = vim.api.nvim_get_current_buf()
  assert(vim.bo[buffer].filetype == 'ptx', 'file type: ' .. vim.bo[buffer].filetype)
  assert(vim.wait(20000, function() return #vim.diagnostic.get(buffer) == 3 end, 50), 'three diagnostics')
  local first = vim.diagnostic.get(buffer)[1]
  assert(first.lnum == 14 and first.code == 'illegal-type', vim.inspect(first))
  local token = vim.api.nvim_buf_get_lines(buffer, 14, 15, false)[1]:sub(first.col + 1, first.end_col)
  assert(token == '.u32', 'the squiggle covers ' .. token)

  local function ask(method, line, column)
    local parameters = {
      textDocument = { uri = vim.uri_from_bufnr(buffer) },
      position = { line = line, character = column },
    }
    for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, parameters, 10000) or {}) do
      if answer.result then return answer.result end
    end
    error(method .. ' has no answer')
  end
  local hover = ask('textDocument/hover', 17, 6)
  assert(vim.inspect(hover):match('scope'), 'hover on the mnemonic: ' .. vim.inspect(hover))

  vim.api.nvim_buf_set_lines(buffer, 14, 15, false, { '    atom.global.or.b32 %r1, [%rd1], 1;' })
  assert(vim.wait(20000, function() return #vim.diagnostic.get(buffer) == 2 end, 50), 'one diagnostic less')
  vim.api.nvim_buf_set_lines(buffer, 14, 15, false, { '    atom.global.' })
  local items = ask('textDocument/completion', 14, 16)
  assert(vim.inspect(items):match('"cas"') and not vim.inspect(items):match('"local"'), 'completion')

  -- The lens asks for values and shows the result until its line changes.
  vim.api.nvim_buf_set_lines(buffer, 14, 15, false, { '    atom.global.inc.u32 %r1, [%rd1], %r2;' })
  local lenses
  assert(vim.wait(10000, function()
    lenses = ask('textDocument/codeLens', 14, 4)
    return lenses[1] and lenses[1].range.start.line == 14
  end, 50), 'a lens on the atomic')
  local prefilled
  vim.ui.input = function(options, answer)
    prefilled = options.default
    answer('[a]=7, b=7')
  end
  local client = vim.tbl_values(vim.lsp.buf_get_clients(buffer))[1]
  vim.lsp.commands['ptxAtomics.evaluate'](lenses[1].command, { client_id = client.id, bufnr = buffer })
  local evaluate = require('ptx-atomics.evaluate')
  assert(vim.wait(10000, function() return #evaluate.shown(buffer) == 1 end, 50), 'a result is shown')
  assert(prefilled ~= '', 'the input is prefilled')
  local shown = evaluate.shown(buffer)[1]
  assert(shown.line == 14 and shown.text:match('%[a%]=0') and shown.text:match('d=7'), vim.inspect(shown))
  vim.api.nvim_buf_set_lines(buffer, 14, 15, false, { '    ret;' })
  assert(vim.wait(10000, function() return #evaluate.shown(buffer) == 0 end, 50), 'the result goes with its line')

  vim.cmd('edit! ' .. root .. '/README.md')
  local pretext = vim.fn.tempname() .. '.ptx'
  vim.fn.writefile({ '<pretext><article/></pretext>' }, pretext)
  vim.cmd('edit ' .. pretext)
  assert(not next(vim.lsp.buf_get_clients and vim.lsp.buf_get_clients(0) or {}), 'PreTeXt is left alone')
end

local fine, message = xpcall(journey, debug.traceback)
io.stdout:write(fine and 'journey done\n' or ('FAILED ' .. message .. '\n'))
vim.cmd(fine and 'qa!' or 'cq!')
