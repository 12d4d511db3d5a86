--- `:PtxAtomics run`: runs a kernel, and shows after each line how often it ran and what a thread wrote, until the text changes.
local launches = require('ptx-atomics.launches')
local lsp = require('ptx-atomics.lsp')
local problems = require('ptx-atomics.problems')
local M = {}

local COMMAND = 'ptxAtomics.run'
local namespace = vim.api.nvim_create_namespace('ptx-atomics-run')

--- The highlights of the heat of an atomic: 0 to 3.
local HEAT = { [0] = 'Comment', 'DiagnosticHint', 'DiagnosticWarn', 'DiagnosticError' }

--- The most changed elements of a buffer that are listed.
local LISTED = 16

--- The run that each buffer shows: its client, launch and result.
local shown = {}

--- A number of transactions per execution: whole, or with one decimal.
local function each(all, executions)
  local text = ('%.1f'):format(all / math.max(1, executions)):gsub('%.0$', '')
  return text
end

local function thread_name(thread)
  return ('thread %d of CTA %d'):format(thread.thread, thread.cta)
end

--- What is shown after a line, as pieces with their highlights.
local function summary(line)
  local parts = { { ('×%d'):format(line.threads), 'Comment' } }
  local function add(text, highlight)
    table.insert(parts, { ' · ', 'Comment' })
    table.insert(parts, { text, highlight or 'Comment' })
  end
  if line.divergent > 0 then
    add(('divergent %d of %d times'):format(line.divergent, line.executions))
  end
  local contention = line.contention
  if contention and contention ~= vim.NIL then
    local lanes = contention.mostLanes == 1 and 'lane' or 'lanes'
    add(('up to %d %s at one address'):format(contention.mostLanes, lanes), HEAT[contention.heat])
    add(each(contention.transactions, contention.executions) .. ' transactions per warp', HEAT[contention.heat])
  end
  for _, register in ipairs(line.registers) do
    add(register.name .. ' = ' .. register.value)
  end
  return parts
end

--- The lines of `:PtxAtomics memory`: problems, and the elements that have changed.
local function report(result)
  local lines = { ('%s %s: %d instructions; registers of %s'):format(result.kernel, result.launch, result.instructions, thread_name(result.thread)) }
  for _, problem in ipairs(result.problems) do
    local often = problem.count > 1 and (', %d times'):format(problem.count) or ''
    local text = 'line %d: error[%s]: %s (%s%s)'
    table.insert(lines, text:format(problem.range.start.line + 1, problem.code, problem.message, thread_name(problem.thread), often))
  end
  for _, buffer in ipairs(result.memory) do
    local changed = #buffer.changed == 0 and 'unchanged' or ('%d of %d elements changed'):format(#buffer.changed, buffer.length)
    table.insert(lines, ('%s: %s[%d], %s'):format(buffer.name, buffer.type, buffer.length, changed))
    for at, index in ipairs(buffer.changed) do
      if at > LISTED then
        table.insert(lines, ('  and %d more'):format(#buffer.changed - LISTED))
        break
      end
      table.insert(lines, ('  %s[%d]: %s → %s'):format(buffer.name, index, buffer.before[index + 1], buffer.after[index + 1]))
    end
  end
  return lines
end

--- Removes what a run has shown.
function M.clear(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  shown[buffer] = nil
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  problems.clear(namespace, buffer)
end

local function show(buffer, result)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for _, line in ipairs(result.lines) do
    vim.api.nvim_buf_set_extmark(buffer, namespace, line.range.start.line, 0, { virt_text = summary(line) })
  end
  launches.on_change(buffer, function()
    M.clear(buffer)
  end)
  M.last = result
  local rated = vim.tbl_map(function(problem)
    return { problem = problem, severity = vim.diagnostic.severity.ERROR }
  end, result.problems)
  problems.show(namespace, buffer, 'ptx-atomics run', rated)
  -- One line: a longer message would have to be dismissed.
  local first, count = result.problems[1], #result.problems
  local text = ('No problem: %s; registers of %s (:PtxAtomics memory)'):format(result.kernel, thread_name(result.thread))
  if first then
    local verdict = count == 1 and '1 problem' or count .. ' problems'
    text = ('%s: %s: line %d: %s'):format(verdict, result.kernel, first.range.start.line + 1, first.message)
  end
  vim.notify(text, first and vim.log.levels.WARN or vim.log.levels.INFO)
end

--- The problems and the changes of memory of the last run as text; nil if there was none.
function M.report()
  return M.last and report(M.last)
end

--- Runs a launch; the registers are those of a thread, the first one by default.
local function run(client, buffer, launch, thread)
  local argument = vim.tbl_extend('force', launch, { thread = thread })
  lsp.request(client, 'workspace/executeCommand', { command = COMMAND, arguments = { argument } }, function(err, result)
    if err then
      return vim.notify(err.message, vim.log.levels.ERROR)
    end
    shown[buffer] = { client = client, launch = launch, thread = result.thread }
    show(buffer, result)
  end, buffer)
end

--- Runs a kernel with a launch, which is asked for unless it is given.
local function start(client, buffer, question, given)
  launches.choose('Launch', question, given, function(launch)
    -- The thread that was chosen belongs to its kernel.
    local former = shown[buffer]
    run(client, buffer, launch, former and former.launch.kernel == launch.kernel and former.thread or nil)
  end)
end

--- The handler of the server's lenses, run by `vim.lsp.codelens.run()`.
function M.run(command, context)
  start(vim.lsp.get_client_by_id(context.client_id), context.bufnr, command.arguments[1])
end

--- Runs the kernel at the cursor with the launch that is given or asked for, such as `grid 2 block 32 out=u32[64]`.
function M.here(given)
  launches.here(COMMAND, function(client, buffer, question)
    start(client, buffer, question, given)
  end)
end

--- Repeats the run that is shown with the registers of another thread: its CTA and its number there, such as `1 5`, which are asked for
--- unless they are given.
function M.thread(given)
  local buffer = vim.api.nvim_get_current_buf()
  local former = shown[buffer]
  if not former then
    return vim.notify('ptx-atomics: no run is shown; see :PtxAtomics run', vim.log.levels.WARN)
  end
  local function chosen(text)
    if not text then
      return
    end
    local cta, thread = text:match('^%s*(%d+)[%s,]+(%d+)%s*$')
    if not cta then
      return vim.notify('ptx-atomics: expected two numbers, the CTA and the thread in it, such as 1 5', vim.log.levels.ERROR)
    end
    run(former.client, buffer, former.launch, { cta = tonumber(cta), thread = tonumber(thread) })
  end
  if given then
    return chosen(given)
  end
  vim.ui.input({ prompt = 'CTA and thread: ', default = ('%d %d'):format(former.thread.cta, former.thread.thread) }, chosen)
end

--- The displayed texts, for tests: line (from 0) and text of each.
function M.shown(buffer)
  return lsp.shown(buffer, namespace)
end

return M
