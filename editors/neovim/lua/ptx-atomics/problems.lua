--- The problems of runs and checks as diagnostics: at their lines of PTX, and at the source lines that these were generated from.
local M = {}

--- The buffers with diagnostics, by namespace and by the buffer of the module.
local shown = {}

local function diagnostic(range, problem, severity, source)
  local related = { problem.message }
  for _, one in ipairs(problem.related or {}) do
    table.insert(related, ('line %d: %s'):format(one.range.start.line + 1, one.message))
  end
  return {
    lnum = range.start.line, col = range.start.character, end_lnum = range['end'].line, end_col = range['end'].character,
    severity = severity, source = source, message = table.concat(related, '\n'),
  }
end

--- Removes the diagnostics of a module.
function M.clear(namespace, module)
  local key = namespace .. ':' .. module
  for _, buffer in ipairs(shown[key] or {}) do
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.diagnostic.reset(namespace, buffer)
    end
  end
  shown[key] = nil
end

--- Shows the problems of a module, each with its severity, in place of those before.
function M.show(namespace, module, source, problems)
  M.clear(namespace, module)
  local found = { [module] = {} }
  for _, rated in ipairs(problems) do
    local problem, severity = rated.problem, rated.severity
    table.insert(found[module], diagnostic(problem.range, problem, severity, source))
    for _, place in ipairs(problem.sources or {}) do
      local buffer = vim.uri_to_bufnr(place.uri)
      found[buffer] = found[buffer] or {}
      table.insert(found[buffer], diagnostic(place.range, { message = problem.message }, severity, source))
    end
  end
  for buffer, all in pairs(found) do
    vim.diagnostic.set(namespace, buffer, all)
  end
  shown[namespace .. ':' .. module] = vim.tbl_keys(found)
end

return M
