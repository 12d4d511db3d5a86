--- `:PtxAtomics check`: explores every execution of a launch, and shows what it finds as diagnostics until the text changes.
local launches = require('ptx-atomics.launches')
local lsp = require('ptx-atomics.lsp')
local problems = require('ptx-atomics.problems')
local M = {}

local COMMAND = 'ptxAtomics.check'
local namespace = vim.api.nvim_create_namespace('ptx-atomics-check')

--- The check that runs: its client and the number of its request.
local running

--- How a verdict is said.
local VERDICTS = { proved = 'Proved', refuted = 'Refuted', unknown = 'Not decided' }

--- Ends the check that runs.
function M.cancel()
  if running then
    lsp.notify(running.client, '$/cancelRequest', { id = running.number })
    running = nil
    vim.notify('ptx-atomics: check cancelled')
  end
end

--- Removes what a check has found.
function M.clear(buffer)
  problems.clear(namespace, buffer or vim.api.nvim_get_current_buf())
end

local function show(buffer, result)
  local found = {}
  for _, problem in ipairs(result.problems) do
    table.insert(found, { problem = problem, severity = vim.diagnostic.severity.ERROR })
  end
  for _, note in ipairs(result.notes) do
    table.insert(found, { problem = note, severity = vim.diagnostic.severity.INFO })
  end
  problems.show(namespace, buffer, 'ptx-atomics check', found)
  M.last = result
  local text = ('%s: %s'):format(VERDICTS[result.verdict], result.kernel)
  if result.problems[1] then
    text = ('%s: line %d: %s'):format(text, result.problems[1].range.start.line + 1, result.problems[1].message)
  end
  if result.reason ~= '' then
    text = text .. ': ' .. result.reason
  end
  vim.notify(text, result.verdict == 'proved' and vim.log.levels.INFO or vim.log.levels.WARN)
end

local function start(client, buffer, question, given)
  launches.choose('Check', question, given, function(launch)
    M.cancel()
    M.clear(buffer)
    local is_outdated = false
    launches.on_change(buffer, function()
      is_outdated = true
      M.clear(buffer)
    end)
    local own = { client = client }
    running = own
    vim.notify(('checking %s …; :PtxAtomics cancel ends it'):format(launch.kernel))
    own.number = lsp.request(client, 'workspace/executeCommand', { command = COMMAND, arguments = { launch } }, function(err, result)
      local is_cancelled = running ~= own
      if is_cancelled then
        return
      end
      running = nil
      if err then
        return vim.notify(err.message, vim.log.levels.ERROR)
      end
      -- What was found in an older text has no places in the new one.
      if not is_outdated then
        show(buffer, result)
      end
    end, buffer)
  end)
end

--- The handler of the server's lenses, run by `vim.lsp.codelens.run()`.
function M.run(command, context)
  start(vim.lsp.get_client_by_id(context.client_id), context.bufnr, command.arguments[1])
end

--- Checks the kernel at the cursor with the launch that is given or asked for, such as `grid 2 block 2 out=u32[4]`.
function M.here(given)
  launches.here(COMMAND, function(client, buffer, question)
    start(client, buffer, question, given)
  end)
end

return M
