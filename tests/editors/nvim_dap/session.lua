-- nvim-dap with our debugger: nvim --headless -u NONE -c 'luafile tests/editors/nvim_dap/session.lua'
-- PTX_ATOMICS_BIN is the debugger, PTX_ATOMICS_ROOT the root of the repository, PTX_ATOMICS_NVIM_DAP a checkout of nvim-dap.
-- It is configured by the text of `:help ptx-atomics-debugger`, and looked at through its own windows. Prints "session done".
local root = assert(os.getenv('PTX_ATOMICS_ROOT'), 'PTX_ATOMICS_ROOT')
local tools = dofile(root .. '/tests/editors/neovim_tools.lua')
local wait = tools.wait
vim.opt.runtimepath:append({ root .. '/editors/neovim', assert(os.getenv('PTX_ATOMICS_NVIM_DAP'), 'PTX_ATOMICS_NVIM_DAP') })
vim.env.PATH = vim.fn.fnamemodify(os.getenv('PTX_ATOMICS_BIN'), ':h') .. ':' .. vim.env.PATH
vim.env.XDG_STATE_HOME, vim.env.XDG_CACHE_HOME = tools.folder .. '/state', tools.folder .. '/cache'
vim.cmd('filetype plugin on')
vim.cmd('runtime plugin/dap.lua')
require('ptx-atomics').setup({ cmd = { os.getenv('PTX_ATOMICS_BIN'), 'lsp' } })
vim.cmd('runtime plugin/ptx-atomics.lua')
vim.opt.swapfile = false

--- Evaluates the example of the manual.
local function configure()
  local manual = table.concat(vim.fn.readfile(root .. '/editors/neovim/doc/ptx-atomics.txt'), '\n')
  assert(loadstring(assert(manual:match('With nvim%-dap: >\n(.-)\n<'), 'the manual has an example')))()
end

configure()
local dap, widgets = require('dap'), require('dap.ui.widgets')
local stops, buffer, registers = {}, nil, nil
dap.listeners.after.event_stopped.test = function(_, stop)
  table.insert(stops, stop)
end

--- The line where nvim-dap shows the stop, without its indentation.
local function stopped_at()
  local group = dap.session() and dap.session().sign_group or '*'
  for _, placed in ipairs(vim.fn.sign_getplaced(buffer, { group = group })[1].signs) do
    if placed.name == 'DapStopped' then
      return tools.lines(buffer)[placed.lnum]:match('^%s*(.*)')
    end
  end
end

--- Resumes the run, and waits until nvim-dap shows the stop at an opcode.
local function resume(what, opcode, reason)
  local before = #stops
  what()
  wait(reason .. ' at ' .. opcode, function()
    return #stops > before and (stopped_at() or ''):sub(1, #opcode) == opcode
  end)
  assert(stops[#stops].reason == reason, vim.inspect(stops[#stops]))
end

--- Waits until the window of nvim-dap with the scopes has a line.
local function shows(line)
  wait(line .. ' among the scopes', function()
    registers.refresh()
    for _, one in ipairs(tools.lines(registers.buf)) do
      if one:match('^%s*(.-)%s*$') == line then
        return true
      end
    end
  end)
end

local function breakpoint(word, ...)
  vim.api.nvim_win_set_cursor(vim.fn.bufwinid(buffer), { tools.at(buffer, word) + 1, 0 })
  vim.api.nvim_set_current_win(vim.fn.bufwinid(buffer))
  dap.toggle_breakpoint(...)
end

local steps = {
  { 'a breakpoint stops the run', function()
    buffer = tools.open('count.ptx')
    local configuration = dap.configurations.ptx[1]
    configuration.stopOnEntry, configuration.args, configuration.block = false, { total = 'u32[1]' }, { 32 }
    breakpoint('add.u32')
    resume(dap.continue, 'add.u32', 'breakpoint')
    assert(stops[1].threadId == 1, vim.inspect(stops[1]))
  end },

  { 'registers are shown, and a step changes them', function()
    registers = widgets.sidebar(widgets.scopes)
    registers.open()
    shows('%r1: 0')
    resume(dap.step_over, 'st.global.u32', 'step')
    shows('%r2: 1')
  end },

  { 'a step back undoes the instruction', function()
    resume(dap.step_back, 'add.u32', 'step')
  end },

  { 'each thread is listed', function()
    local names = {}
    for _, thread in pairs(dap.session().threads) do
      names[thread.id] = thread.name
    end
    assert(#names == 32, vim.inspect(names))
  end },

  { 'a mistake of the kernel is an exception', function()
    breakpoint('add.u32')
    resume(dap.continue, 'st.global.u32', 'exception')
    assert(stops[#stops].description == 'data-race', vim.inspect(stops[#stops]))
  end },

  { 'the run goes back to a breakpoint, and from there to its begin', function()
    breakpoint('add.u32')
    resume(dap.reverse_continue, 'add.u32', 'breakpoint')
    breakpoint('add.u32')
    resume(dap.reverse_continue, 'ld.param.u64', 'entry')
  end },

  { 'the session ends', function()
    dap.terminate()
    wait('no session', function() return dap.session() == nil end)
  end },
}

for _, step in ipairs(steps) do
  local done, problem = pcall(step[2])
  if not done then
    io.write('not ok - ', step[1], ': ', tostring(problem), '\nat ', tostring(buffer and stopped_at()), '\n')
    if registers and registers.buf then
      io.write(table.concat(tools.lines(registers.buf), '\n'), '\n')
    end
    vim.cmd('cquit')
  end
  io.write('ok - ', step[1], '\n')
end
io.write('session done\n')
vim.cmd('qall!')
