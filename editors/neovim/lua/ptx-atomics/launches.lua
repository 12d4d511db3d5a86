--- Launches of kernels: the lenses of the server, and the launches of former runs and checks, by file and kernel.
local lsp = require('ptx-atomics.lsp')
local M = {}

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

--- Calls back with a launch: the one that is given, else one that is asked for, with that of the last time as the default.
function M.choose(kind, question, given, done)
  local key = question.uri .. '#' .. question.kernel
  if kind ~= 'Launch' then
    key = kind .. ':' .. key
  end
  local function chosen(launch)
    if launch then
      remember(key, launch)
      done({ uri = question.uri, kernel = question.kernel, launch = launch })
    end
  end
  if given then
    return chosen(given)
  end
  vim.ui.input({ prompt = kind .. ' of ' .. question.kernel .. ': ', default = remembered()[key] or question.launch }, chosen)
end

--- The kernel around the cursor: the last one that begins above it, or the first one.
local function at_cursor(lenses, command)
  local row, found = vim.api.nvim_win_get_cursor(0)[1] - 1, nil
  for _, lens in ipairs(lenses) do
    if lens.command.command == command and (not found or lens.range.start.line <= row) then
      found = lens.command.arguments[1]
    end
  end
  return found
end

--- Calls back with the client, the buffer, and the argument of the lens with a command of the kernel at the cursor.
function M.here(command, done)
  local buffer = vim.api.nvim_get_current_buf()
  local client = lsp.client(buffer)
  if not client then
    return
  end
  lsp.request(client, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(buffer) } }, function(_, lenses)
    local question = at_cursor(lenses or {}, command)
    if not question then
      return vim.notify('ptx-atomics: no kernel that can run', vim.log.levels.WARN)
    end
    done(client, buffer, question)
  end, buffer)
end

--- Calls back once when the text of a buffer changes.
function M.on_change(buffer, done)
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      vim.schedule(done)
      return true
    end,
  })
end

return M
