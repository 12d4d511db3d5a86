--- The commands `:PtxAtomics …`.
local lsp = require('ptx-atomics.lsp')
local M = {}

local function here(name)
  return vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h') .. '/' .. name
end

--- The schema of `ptx-atomics.toml` in the repository lists the targets; a plugin without its repository completes none.
local function targets()
  local file = io.open(here('../ptx-atomics.schema.json'))
  if not file then
    return {}
  end
  local schema = vim.fn.json_decode(file:read('*a'))
  file:close()
  return schema.properties.target.enum
end

--- The opcode under the cursor, and its prefixes with fewer modifiers.
local function topics()
  local line, column = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2] + 1
  for from, word in line:gmatch('()(%l[%w_.:]*)') do
    if from <= column and column < from + #word then
      local all = {}
      while word do
        table.insert(all, word)
        word = word:match('^(.*)%.')
      end
      return all
    end
  end
  return {}
end

local function page(lines, topic, filetype)
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = filetype or 'markdown'
  pcall(vim.api.nvim_buf_set_name, buffer, 'ptx-atomics://' .. topic)
end

--- The first C compiler that can be executed: the one of the environment, or one of the usual names.
local function compiler()
  for _, name in ipairs({ vim.env.CC or 'cc', 'cc', 'gcc', 'clang', 'zig' }) do
    if vim.fn.executable(name) == 1 then
      return name == 'zig' and { 'zig', 'cc' } or { name }
    end
  end
end

local NO_COMPILER = 'no C compiler found: install cc, gcc, clang or zig, or set the environment variable CC'

--- Builds a tree-sitter parser from the grammar of the repository, into a folder that Neovim searches.
local function build_parser(name)
  local source = here('../../grammar/' .. name .. '/src')
  if vim.fn.isdirectory(source) == 0 then
    return false, 'the grammar is not beside the plugin: ' .. source
  end
  local folder = vim.fn.stdpath('data') .. '/site/parser'
  vim.fn.mkdir(folder, 'p')
  local command = vim.list_extend(assert(compiler()), { '-O2', '-shared', '-fPIC', '-I' .. source, source .. '/parser.c' })
  if vim.fn.filereadable(source .. '/scanner.c') == 1 then
    table.insert(command, source .. '/scanner.c')
  end
  vim.list_extend(command, { '-o', folder .. '/' .. name .. '.so' })
  local output = vim.fn.system(command)
  return vim.v.shell_error == 0, output
end

M.commands = {
  --- Asks for values and evaluates the atomic at the cursor.
  evaluate = function(input)
    require('ptx-atomics.evaluate').here(input ~= '' and input or nil)
  end,

  --- Runs the kernel at the cursor with a launch, or asks for one.
  run = function(launch)
    require('ptx-atomics.run').here(launch ~= '' and launch or nil)
  end,

  --- Opens the problems and the changes of memory of the last run.
  memory = function()
    local lines = require('ptx-atomics.run').report()
    if not lines then
      return vim.notify('ptx-atomics: no run yet; see :PtxAtomics run', vim.log.levels.WARN)
    end
    page(lines, 'memory', 'text')
  end,

  --- Repeats the run that is shown with the registers of another thread.
  thread = function(thread)
    require('ptx-atomics.run').thread(thread ~= '' and thread or nil)
  end,

  --- Checks every execution of a launch of the kernel at the cursor, or asks for one.
  check = function(launch)
    require('ptx-atomics.check').here(launch ~= '' and launch or nil)
  end,

  --- Goes to the source line that the PTX at the cursor was generated from.
  source = function()
    require('ptx-atomics.source_lines').source()
  end,

  --- Goes to the PTX that was generated from the line at the cursor.
  ptx = function()
    require('ptx-atomics.source_lines').ptx()
  end,

  --- Ends the check that runs.
  cancel = function()
    require('ptx-atomics.check').cancel()
  end,

  --- Removes what the last run and the last check have shown.
  clear = function()
    require('ptx-atomics.run').clear()
    require('ptx-atomics.check').clear()
  end,

  --- Opens the documentation of the instruction at the cursor, or of a topic.
  forms = function(topic)
    local asked = topic ~= '' and { topic } or topics()
    local binary = require('ptx-atomics').options.cmd[1]
    for _, candidate in ipairs(asked) do
      local lines = vim.fn.systemlist({ binary, 'explain', candidate })
      if vim.v.shell_error == 0 then
        return page(lines, candidate)
      end
    end
    vim.notify(asked[1] and 'ptx-atomics: no documentation for ' .. asked[1] or 'ptx-atomics: no instruction at the cursor', vim.log.levels.WARN)
  end,

  --- Opens all executions of the litmus test at the cursor, or those that a check shows, as text.
  executions = function()
    local buffer = vim.api.nvim_get_current_buf()
    local client = lsp.client(buffer)
    if not client then
      return
    end
    local cursor = vim.api.nvim_win_get_cursor(0)
    local place = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = cursor[1] - 1, character = 0 } }
    lsp.request(client, 'ptxAtomics/executions', place, function(err, found)
      if err or not found or found == vim.NIL then
        return vim.notify(err and err.message or 'ptx-atomics: no valid litmus test or check at the cursor', vim.log.levels.WARN)
      end
      local lines = { '# ' .. found.name, '', found.summary, '' }
      for _, one in ipairs(found.executions) do
        local verdict = one.problem and 'problem' or type(one.forbidden) == 'string' and 'forbidden' or 'allowed'
        table.insert(lines, ('## %s %s%s'):format(one.outcome, verdict, one.claimed and ', named in the claim' or ''))
        vim.list_extend(lines, { '', '```text' })
        vim.list_extend(lines, vim.split(vim.trim(one.text), '\n'))
        vim.list_extend(lines, { '```', '' })
      end
      page(lines, 'executions/' .. found.name)
    end, buffer)
  end,

  --- Overrides the target of the modules; without an argument, removes the override.
  target = function(target)
    for _, client in ipairs(lsp.clients()) do
      lsp.set(client, 'target', target)
    end
  end,

  --- Restarts the server and attaches it to all buffers.
  restart = function()
    for _, client in ipairs(lsp.clients()) do
      lsp.stop(client)
    end
    vim.wait(2000, function()
      return #lsp.clients() == 0
    end, 20)
    local plugin = require('ptx-atomics')
    for _, buffer in ipairs(vim.tbl_filter(plugin.is_ours, vim.api.nvim_list_bufs())) do
      plugin.attach(buffer)
    end
  end,

  --- Opens Neovim's LSP log.
  log = function()
    vim.cmd('botright split ' .. vim.fn.fnameescape(lsp.log_file()))
  end,

  --- Builds the tree-sitter parsers with the C compiler.
  parser = function()
    if not compiler() then
      return vim.notify('ptx-atomics: ' .. NO_COMPILER, vim.log.levels.ERROR)
    end
    for _, name in ipairs({ 'ptx', 'sass' }) do
      local built, output = build_parser(name)
      local what = built and ('built the ' .. name .. ' parser; reopen files to use it') or output
      vim.notify('ptx-atomics: ' .. what, built and vim.log.levels.INFO or vim.log.levels.ERROR)
    end
  end,
}

--- Runs `:PtxAtomics NAME WORDS`.
function M.run(call)
  local name, rest = call.args:match('^(%S*)%s*(.*)$')
  local command = M.commands[name]
  if not command then
    local known = vim.tbl_keys(M.commands)
    table.sort(known)
    vim.notify('ptx-atomics: unknown command; expected one of ' .. table.concat(known, ', '), vim.log.levels.ERROR)
    return
  end
  command(rest)
end

--- Completes the words of the command line.
function M.complete(lead, line)
  local words = vim.tbl_keys(M.commands)
  if line:match('^%s*%S+%s+target%s') then
    words = targets()
  elseif line:match('^%s*%S+%s+%S+%s') then
    words = {}
  end
  words = vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
  table.sort(words)
  return words
end

return M
