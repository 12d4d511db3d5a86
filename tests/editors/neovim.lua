-- A journey through a real Neovim: nvim --headless -u NONE -c 'luafile tests/editors/neovim.lua'
-- PTX_ATOMICS_BIN is the server, PTX_ATOMICS_ROOT the root of the repository. Prints "journey done" when all went well.
local root = assert(os.getenv('PTX_ATOMICS_ROOT'), 'PTX_ATOMICS_ROOT')
local tools = dofile(root .. '/tests/editors/neovim_tools.lua')
local folder, wait, open, lines, text, at, ask, position, codes, encoding =
  tools.folder, tools.wait, tools.open, tools.lines, tools.text, tools.at, tools.ask, tools.position, tools.codes, tools.encoding

local steps = {
  { 'another text with our ending is left alone', function()
    for _, name in ipairs({ 'article.ptx', 'other.litmus', 'styles.sass' }) do
      local buffer = open(name)
      vim.wait(300)
      assert(#require('ptx-atomics.lsp').clients() == 0, name .. ' starts no server')
      assert(#vim.diagnostic.get(buffer) == 0, name .. ' has no diagnostics')
    end
    assert(vim.bo.filetype ~= 'nvsass', 'a style sheet is no machine code')
  end },

  { 'machine code and litmus tests have file types of their own', function()
    local buffer = open('reduce.sass')
    assert(vim.bo[buffer].filetype == 'nvsass', vim.bo[buffer].filetype)
    wait('the diagnostic', function() return codes(buffer) == 'illegal-type' end)
    local diagnostic = vim.diagnostic.get(buffer)[1]
    assert(lines(buffer)[diagnostic.lnum + 1]:sub(diagnostic.col + 1, diagnostic.end_col) == '.F32', vim.inspect(diagnostic))
    local single = folder .. '/single.sass'
    vim.fn.writefile({ '@!P0 RED.ADD [R1], R2;' }, single)
    vim.cmd('edit ' .. single)
    assert(vim.bo.filetype == 'nvsass', vim.bo.filetype)
    local litmus = open('message.litmus')
    assert(vim.bo[litmus].filetype == 'ptxlitmus', vim.bo[litmus].filetype)
    wait('the diagnostic', function() return #vim.diagnostic.get(litmus) == 1 end)
  end },

  { 'a listing is recognised by its text, wherever its first instruction is', function()
    local code = '        /*0000*/                   REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R0;'
    -- As nvdisasm 13.5 begins, and a part of a listing without a head.
    for name, head in pairs({ head = { '\t.target\tsm_90', '', '\t.elftype\t@"ET_EXEC"' }, part = {} }) do
      local listing = vim.list_extend(head, { '.debug_frame:' })
      for _ = 1, 1500 do
        table.insert(listing, '        /*0000*/ \t.byte\t0xff, 0xff')
      end
      vim.fn.writefile(vim.list_extend(listing, { code }), folder .. '/' .. name .. '.sass')
      vim.cmd('edit ' .. folder .. '/' .. name .. '.sass')
      assert(vim.bo.filetype == 'nvsass', name .. ': ' .. vim.bo.filetype)
    end
  end },

  { 'the executions of a litmus test open in words', function()
    local litmus = open('handover.litmus')
    wait('the client', function() return #require('ptx-atomics.lsp').clients(litmus) == 1 end)
    vim.cmd('PtxAtomics executions')
    wait('the page', function() return vim.api.nvim_buf_get_name(0):find('executions/handover', 1, true) end)
    local text = table.concat(lines(vim.api.nvim_get_current_buf()), '\n')
    assert(text:find('## 1:r0=0 1:r1=1 allowed', 1, true), text)
    assert(text:find('## 1:r0=1 1:r1=0 forbidden, named in the claim', 1, true), text)
    assert(text:find('forbidden by Causality', 1, true), text)
    vim.cmd('bwipeout')
  end },

  { 'the diagnostic is on the token that is wrong', function()
    local buffer = open('tally.ptx')
    assert(vim.bo[buffer].filetype == 'ptx', 'file type: ' .. vim.bo[buffer].filetype)
    wait('the diagnostic', function() return codes(buffer) == 'illegal-type' end)
    local diagnostic = vim.diagnostic.get(buffer)[1]
    assert(lines(buffer)[diagnostic.lnum + 1]:sub(diagnostic.col + 1, diagnostic.end_col) == '.u32', vim.inspect(diagnostic))
  end },

  { 'every error of the settings file is shown while it is edited', function(buffer)
    local folder = vim.fn.tempname()
    vim.fn.mkdir(folder)
    vim.fn.writefile({}, folder .. '/ptx-atomics.toml')
    vim.cmd('edit ' .. folder .. '/ptx-atomics.toml')
    local settings = vim.api.nvim_get_current_buf()
    wait('the client', function() return #require('ptx-atomics.lsp').clients(settings) == 1 end)
    vim.api.nvim_buf_set_lines(settings, 0, -1, false, { 'taget = "sm_60"', 'preset = "foo"' })
    wait('both errors', function() return #vim.diagnostic.get(settings) == 2 end)
    vim.api.nvim_buf_set_lines(settings, 0, -1, false, { 'target = "sm_60"' })
    wait('no error', function() return #vim.diagnostic.get(settings) == 0 end)
    vim.cmd('bwipeout!')
    vim.api.nvim_set_current_buf(buffer)
  end },

  { 'hover documents the instruction', function(buffer)
    local line, column = at(buffer, 'atom.global.inc')
    local hover = vim.inspect(ask(buffer, 'textDocument/hover', position(line, column + 1)))
    assert(hover:match('scope'), hover)
  end },

  { 'completion offers what may follow and nothing else', function(buffer)
    local line = at(buffer, 'ret;')
    vim.api.nvim_buf_set_lines(buffer, line, line, false, { '    atom.global.' })
    local items = vim.inspect(ask(buffer, 'textDocument/completion', position(line, 16)))
    assert(items:match('"cas"') and not items:match('"local"'), items)
    vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, {})
  end },

  { 'a quick fix repairs the line', function(buffer)
    wait('the diagnostic alone', function() return codes(buffer) == 'illegal-type' end)
    local diagnostic = vim.diagnostic.get(buffer)[1]
    local range = {
      start = { line = diagnostic.lnum, character = diagnostic.col },
      ['end'] = { line = diagnostic.end_lnum, character = diagnostic.end_col },
    }
    local context = { diagnostics = {}, only = { 'quickfix' } }
    local actions = ask(buffer, 'textDocument/codeAction', { range = range, context = context })
    vim.lsp.util.apply_workspace_edit(actions[1].edit, encoding(buffer))
    assert(text(buffer):find('atom.global.or.b32 %r4', 1, true), text(buffer))
    wait('no diagnostic', function() return codes(buffer) == '' end)
  end },

  { 'rename reaches every use', function(buffer)
    local line, column = at(buffer, 'ticket]')
    vim.api.nvim_win_set_cursor(0, { line + 1, column })
    vim.lsp.buf.rename('queue')
    wait('three uses', function() return select(2, text(buffer):gsub('queue', '')) == 3 end)
    assert(not text(buffer):find('ticket', 1, true))
  end },

  { 'formatting lays the text out', function(buffer)
    vim.bo[buffer].expandtab = true
    vim.bo[buffer].shiftwidth = 4
    local line = at(buffer, 'mov.u32')
    vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { 'mov.u32   %r1,7;' })
    if vim.lsp.buf.format then
      vim.lsp.buf.format({ timeout_ms = 10000 })
    else
      vim.lsp.buf.formatting_sync(nil, 10000)
    end
    assert(lines(buffer)[line + 1] == '    mov.u32 %r1, 7;', lines(buffer)[line + 1])
  end },

  { 'evaluation comments show their results, and follow the text', function(buffer)
    local function shown()
      if vim.lsp.inlay_hint and vim.lsp.inlay_hint.get then
        local found = {}
        for _, one in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
          table.insert(found, { line = one.inlay_hint.position.line, text = one.inlay_hint.label })
        end
        return found
      end
      return require('ptx-atomics.hints').shown(buffer)
    end
    local function behind(word, result)
      local line = at(buffer, word)
      return #vim.tbl_filter(function(hint)
        return hint.line == line and hint.text:find(result, 1, true)
      end, shown()) == 1
    end
    wait('the results', function() return behind('%r2, [queue]', '[a]=7, d=6') and behind('%r3, [queue]', '[a]=0, d=7') end)
    vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { '// one line more' })
    wait('the results one line below', function() return behind('%r3, [queue]', '[a]=0, d=7') end)
    local line = at(buffer, '%r2, [queue]')
    vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { '    atom.global.inc.u32 %r2, [queue], %r1; //= [a]=2' })
    wait('the new result', function() return behind('%r2, [queue]', '[a]=3, d=2') end)
  end },

  { 'a lens asks for values, and its result stays until the line changes', function(buffer)
    local line = at(buffer, 'atom.global.or.b32')
    local lenses
    wait('a lens on the atomic', function()
      lenses = vim.tbl_filter(function(lens) return lens.range.start.line == line end, ask(buffer, 'textDocument/codeLens', {}))
      return #lenses == 1
    end)
    local prefilled
    vim.ui.input = function(options, answer)
      prefilled = options.default
      answer('[a]=6')
    end
    local client = require('ptx-atomics.lsp').clients(buffer)[1]
    vim.lsp.commands['ptxAtomics.evaluate'](lenses[1].command, { client_id = client.id, bufnr = buffer })
    local evaluate = require('ptx-atomics.evaluate')
    wait('a result', function() return #evaluate.shown(buffer) == 1 end)
    assert(prefilled ~= '', 'the input is prefilled')
    local result = evaluate.shown(buffer)[1]
    assert(result.line == line and result.text:find('[a]=7', 1, true) and result.text:find('d=6', 1, true), vim.inspect(result))
    vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { '    bar.sync 0;' })
    wait('no result', function() return #evaluate.shown(buffer) == 0 end)
  end },

  { ':PtxAtomics evaluates, explains, sets the target and restarts', function(buffer)
    local line, column = at(buffer, 'red.relaxed')
    vim.api.nvim_win_set_cursor(0, { line + 1, column + 1 })
    vim.cmd('PtxAtomics evaluate [a]=1.5, b=2.0')
    local evaluate = require('ptx-atomics.evaluate')
    wait('a result', function() return #evaluate.shown(buffer) == 1 end)
    assert(evaluate.shown(buffer)[1].text:find('[a]=3.5', 1, true), vim.inspect(evaluate.shown(buffer)))

    vim.cmd('PtxAtomics forms')
    assert(vim.bo.buftype == 'nofile' and vim.bo.filetype == 'markdown')
    assert(text(vim.api.nvim_get_current_buf()):find('red', 1, true))
    vim.cmd('bwipeout')
    assert(vim.api.nvim_get_current_buf() == buffer)

    vim.cmd('PtxAtomics target sm_60')
    wait('what sm_60 lacks', function() return codes(buffer):find('requires-target', 1, true) end)
    vim.cmd('PtxAtomics target')
    wait('nothing', function() return codes(buffer) == '' end)

    local former = require('ptx-atomics.lsp').clients(buffer)[1].id
    vim.cmd('PtxAtomics restart')
    wait('another server', function()
      local now = require('ptx-atomics.lsp').clients(buffer)[1]
      return now and now.id ~= former and now.initialized
    end)
    line = at(buffer, 'bar.sync')
    vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { '    atom.global.or.s32 %r4, [%rd2], 1;' })
    wait('the diagnostic of the new server', function() return codes(buffer) == 'illegal-type' end)

    local completed = vim.fn.getcompletion('PtxAtomics target sm_90', 'cmdline')
    assert(vim.inspect(completed) == vim.inspect({ 'sm_90', 'sm_90a' }), vim.inspect(completed))
  end },

  { 'without a C compiler, the parser command says so', function()
    local notify, path, messages = vim.notify, vim.env.PATH, {}
    vim.notify = function(message)
      table.insert(messages, message)
    end
    vim.env.PATH = folder
    vim.cmd('PtxAtomics parser')
    vim.env.PATH, vim.notify = path, notify
    assert(#messages == 1 and messages[1]:find('no C compiler found', 1, true), vim.inspect(messages))
  end },

  { 'the parser is built, and colours the next file', function()
    vim.env.XDG_DATA_HOME = folder .. '/data'
    vim.cmd('PtxAtomics parser')
    local site = vim.fn.stdpath('data') .. '/site'
    assert(vim.startswith(site, folder), site)
    for _, name in ipairs({ 'ptx', 'sass' }) do
      assert(vim.fn.filereadable(site .. '/parser/' .. name .. '.so') == 1, name)
    end
    for _, query in ipairs({ 'ptx/highlights', 'ptx/folds', 'ptx/indents', 'ptx/locals', 'sass/highlights' }) do
      assert(#vim.api.nvim_get_runtime_file('queries/' .. query .. '.scm', true) > 0, query)
    end
    vim.opt.runtimepath:append(site)
    local buffer = open('tally.ptx')
    vim.cmd('edit')
    if vim.treesitter.start then
      assert(vim.treesitter.highlighter.active[buffer], 'tree-sitter colours the buffer')
    else
      local line, column = at(buffer, 'mov.u32')
      local name = vim.fn.synIDattr(vim.fn.synID(line + 1, column + 1, 1), 'name')
      assert(name == 'ptxOpcode', name)
    end
  end },

  { 'CUDA C++ with PTX is checked without setup, and an option turns that off', function()
    local clients = require('ptx-atomics.lsp').clients
    require('ptx-atomics').setup({ cuda = false })
    local buffer = open('kernel.cu')
    vim.bo[buffer].filetype = 'cuda'
    vim.wait(300)
    assert(#clients(buffer) == 0, 'no server')
    require('ptx-atomics').setup({ cuda = true })
    vim.cmd('edit')
    vim.bo[buffer].filetype = 'cuda'
    wait('the diagnostic', function() return codes(buffer) == 'illegal-type' end)
    local diagnostic = vim.diagnostic.get(buffer)[1]
    assert(lines(buffer)[diagnostic.lnum + 1]:sub(diagnostic.col + 1, diagnostic.end_col) == '.u32', vim.inspect(diagnostic))
  end },

  { 'Python with PTX is checked without setup, and an option turns that off', function()
    local clients = require('ptx-atomics.lsp').clients
    require('ptx-atomics').setup({ python = false })
    local buffer = open('flag.py')
    vim.bo[buffer].filetype = 'python'
    vim.wait(300)
    assert(#clients(buffer) == 0, 'no server')
    require('ptx-atomics').setup({ python = true })
    vim.cmd('edit')
    vim.bo[buffer].filetype = 'python'
    wait('the diagnostic', function() return codes(buffer) == 'illegal-type' end)
    local diagnostic = vim.diagnostic.get(buffer)[1]
    assert(lines(buffer)[diagnostic.lnum + 1]:sub(diagnostic.col + 1, diagnostic.end_col) == '.u32', vim.inspect(diagnostic))
  end },

  { 'a statement in CUDA C++ is checked, fixed, explained, renamed in and evaluated in its string', function()
    local buffer = open('lock.cu')
    vim.bo[buffer].filetype = 'cuda'
    wait('the diagnostic', function() return codes(buffer) == 'illegal-type' end)
    local diagnostic = vim.diagnostic.get(buffer)[1]
    local line, column = at(buffer, '.u32 kept, [')
    assert(diagnostic.lnum == line and diagnostic.col == column and diagnostic.end_col == column + 4, vim.inspect(diagnostic))

    local function character(number)
      local width = { ['utf-8'] = number, ['utf-16'] = select(2, vim.str_utfindex(lines(buffer)[line + 1], number)) }
      return width[encoding(buffer)]
    end
    local range = { start = { line = line, character = character(column) }, ['end'] = { line = line, character = character(column + 4) } }
    local actions = ask(buffer, 'textDocument/codeAction', { range = range, context = { diagnostics = {}, only = { 'quickfix' } } })
    vim.lsp.util.apply_workspace_edit(actions[1].edit, encoding(buffer))
    assert(text(buffer):find('"/* 😀 */ atom.acquire.gpu.global.or.b32 kept, [%1], %2;', 1, true), text(buffer))
    wait('no diagnostic', function() return codes(buffer) == '' end)

    local _, word = at(buffer, 'acquire.gpu')
    local hover = vim.inspect(ask(buffer, 'textDocument/hover', position(line, character(word + 1))))
    assert(hover:match('acquire'), hover)

    for word, new in pairs({ kept = 'seen', RETRY = 'TRY' }) do
      local place, start = at(buffer, word)
      vim.api.nvim_win_set_cursor(0, { place + 1, start })
      vim.lsp.buf.rename(new)
      wait('a new name', function() return not text(buffer):find(word, 1, true) end)
    end
    assert(select(2, text(buffer):gsub('seen', '')) == 4 and select(2, text(buffer):gsub('TRY', '')) == 2, text(buffer))

    local lenses
    wait('a lens on the atomic', function()
      lenses = ask(buffer, 'textDocument/codeLens', {})
      return #lenses == 1 and lenses[1].range.start.line == line
    end)
    vim.ui.input = function(_, answer) answer('[a]=6, b=1') end
    local client = require('ptx-atomics.lsp').clients(buffer)[1]
    vim.lsp.commands['ptxAtomics.evaluate'](lenses[1].command, { client_id = client.id, bufnr = buffer })
    local evaluate = require('ptx-atomics.evaluate')
    wait('a result', function() return #evaluate.shown(buffer) == 1 end)
    local result = evaluate.shown(buffer)[1]
    assert(result.line == line and result.text:find('[a]=7', 1, true) and result.text:find('d=6', 1, true), vim.inspect(result))
  end },

  { 'help and health are there', function()
    -- The tags are in the repository, so the help needs no further command.
    for _, topic in ipairs({ 'ptx-atomics', ':PtxAtomics', 'ptx-atomics-treesitter' }) do
      vim.cmd('help ' .. topic)
      assert(vim.api.nvim_get_current_line():find('*' .. topic .. '*', 1, true), topic)
      vim.cmd('helpclose')
    end
    local copy = folder .. '/doc'
    vim.fn.mkdir(copy, 'p')
    vim.fn.writefile(vim.fn.readfile(root .. '/editors/neovim/doc/ptx-atomics.txt'), copy .. '/ptx-atomics.txt')
    vim.cmd('helptags ' .. copy)
    local tags, fresh = vim.fn.readfile(root .. '/editors/neovim/doc/tags'), vim.fn.readfile(copy .. '/tags')
    assert(vim.deep_equal(tags, fresh), 'outdated: nvim -c "helptags editors/neovim/doc"')
    vim.cmd('checkhealth ptx-atomics')
    wait('the report', function() return text(vim.api.nvim_get_current_buf()):find('the server is attached to', 1, true) end)
    local report = text(vim.api.nvim_get_current_buf())
    assert(report:find('ptx%-atomics %d+%.%d+%.%d+') and not report:find('ERROR', 1, true), report)
  end },
}

local function journey()
  vim.opt.runtimepath:prepend(root .. '/editors/neovim')
  vim.cmd('filetype plugin on')
  vim.cmd('syntax on')
  require('ptx-atomics').setup({ cmd = { assert(os.getenv('PTX_ATOMICS_BIN'), 'PTX_ATOMICS_BIN'), 'lsp' } })
  vim.cmd('runtime plugin/ptx-atomics.lua')
  for _, file in ipairs({ 'neovim_kernels', 'neovim_debugger' }) do
    vim.list_extend(steps, dofile(root .. '/tests/editors/' .. file .. '.lua')(tools))
  end
  for _, step in ipairs(steps) do
    local fine, message = xpcall(step[2], debug.traceback, vim.api.nvim_get_current_buf())
    assert(fine, step[1] .. ': ' .. tostring(message))
    io.stdout:write('ok - ' .. step[1] .. '\n')
  end
end

local fine, message = xpcall(journey, debug.traceback)
vim.fn.delete(folder, 'rf')
local version = vim.version()
local which = ('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch)
io.stdout:write(fine and ('journey done in ' .. which .. '\n') or ('FAILED in ' .. which .. ': ' .. message .. '\n'))
vim.cmd(fine and 'qa!' or 'cq!')
