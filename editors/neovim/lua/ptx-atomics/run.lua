--- `:PtxAtomics run`: runs a kernel, and shows behind each line how often it ran and what a thread wrote, until the text changes.
local lsp = require('ptx-atomics.lsp')
local M = {}

local COMMAND = 'ptxAtomics.run'
local namespace = vim.api.nvim_create_namespace('ptx-atomics-run')

--- The launches of former runs, by file and kernel.
local function memory_path()
  return vim.fn.stdpath('data') .. '/ptx-atomics-launches.json'
end

local function remembered()
  local file = io.open(memory_path())
  if not file then
    return {}
  end
  local read, launches = pcall(vim.json.decode, file:read('*a'))
  file:close()
  return read and type(launches) == 'table' and launches or {}
end

local function remember(key, launch)
  local launches = remembered()
  launches[key] = launch
  vim.fn.mkdir(vim.fn.stdpath('data'), 'p')
  local file = io.open(memory_path(), 'w')
  if file then
    file:write(vim.json.encode(launches))
    file:close()
  end
end

--- What is shown behind a line.
local function summary(line)
  local parts = { ('×%d'):format(line.threads) }
  if line.divergent > 0 then
    table.insert(parts, ('%d of %d divergent'):format(line.divergent, line.executions))
  end
  local contention = line.contention
  if contention and contention ~= vim.NIL then
    table.insert(parts, ('%d lanes at one address, %d transactions'):format(contention.mostLanes, contention.transactions))
  end
  for _, register in ipairs(line.registers) do
    table.insert(parts, register.name .. ' = ' .. register.value)
  end
  return table.concat(parts, ' · ')
end

--- The lines that a message shows: problems, and the elements that have changed.
local function report(result)
  local lines = { ('%s %s: %d instructions'):format(result.kernel, result.launch, result.instructions) }
  for _, problem in ipairs(result.problems) do
    table.insert(lines, ('line %d: error[%s]: %s'):format(problem.range.start.line + 1, problem.code, problem.message))
  end
  for _, buffer in ipairs(result.memory) do
    for at, index in ipairs(buffer.changed) do
      if at > 16 then
        table.insert(lines, ('%s: %d more elements have changed'):format(buffer.name, #buffer.changed - 16))
        break
      end
      table.insert(lines, ('%s[%d]: %s → %s'):format(buffer.name, index, buffer.before[index + 1], buffer.after[index + 1]))
    end
  end
  return lines
end

--- Removes what a run has shown.
function M.clear(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
end

local function show(buffer, result)
  M.clear(buffer)
  for _, line in ipairs(result.lines) do
    local mark = { virt_text = { { summary(line), 'Comment' } } }
    vim.api.nvim_buf_set_extmark(buffer, namespace, line.range.start.line, 0, mark)
  end
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      vim.schedule(function()
        M.clear(buffer)
      end)
      return true
    end,
  })
  M.last = result
  vim.notify(table.concat(report(result), '\n'))
end

--- The kernel around the cursor: the last one that begins above it, or the first one.
local function here(lenses)
  local row, found = vim.api.nvim_win_get_cursor(0)[1] - 1, nil
  for _, lens in ipairs(lenses) do
    if lens.command.command == COMMAND and (not found or lens.range.start.line <= row) then
      found = lens.command.arguments[1]
    end
  end
  return found
end

--- Runs a kernel with a launch, which is asked for unless it is given.
local function start(client, buffer, question, given)
  local key = question.uri .. '#' .. question.kernel
  local function run(launch)
    if not launch then
      return
    end
    remember(key, launch)
    local argument = { uri = question.uri, kernel = question.kernel, launch = launch }
    lsp.request(client, 'workspace/executeCommand', { command = COMMAND, arguments = { argument } }, function(err, result)
      if err then
        return vim.notify(err.message, vim.log.levels.ERROR)
      end
      show(buffer, result)
    end, buffer)
  end
  if given then
    return run(given)
  end
  vim.ui.input({ prompt = 'Launch of ' .. question.kernel .. ': ', default = remembered()[key] or question.launch }, run)
end

--- The handler of the server's lenses, run by `vim.lsp.codelens.run()`.
function M.run(command, context)
  start(vim.lsp.get_client_by_id(context.client_id), context.bufnr, command.arguments[1])
end

--- Runs the kernel at the cursor with the launch that is given or asked for, such as `grid 2 block 32 out=u32[64]`.
function M.here(given)
  local buffer = vim.api.nvim_get_current_buf()
  local client = lsp.client(buffer)
  if not client then
    return
  end
  local uri = vim.uri_from_bufnr(buffer)
  lsp.request(client, 'textDocument/codeLens', { textDocument = { uri = uri } }, function(_, lenses)
    local question = here(lenses or {})
    if not question then
      return vim.notify('no kernel that can run', vim.log.levels.WARN)
    end
    start(client, buffer, question, given)
  end, buffer)
end

--- The displayed texts, for tests: line (from 0) and text of each.
function M.shown(buffer)
  return lsp.shown(buffer, namespace)
end

return M
