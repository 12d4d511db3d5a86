-- What the steps of the journey share.
local root = assert(os.getenv('PTX_ATOMICS_ROOT'), 'PTX_ATOMICS_ROOT')
local folder = vim.fn.tempname()

local function wait(what, fits)
  assert(vim.wait(20000, fits, 50), 'waited in vain for ' .. what)
end

-- Each file is opened as a copy, so that the journey may write into it.
local function open(name)
  vim.fn.mkdir(folder, 'p')
  vim.fn.writefile(vim.fn.readfile(root .. '/tests/editors/workspace/' .. name), folder .. '/' .. name)
  vim.cmd('edit! ' .. folder .. '/' .. name)
  return vim.api.nvim_get_current_buf()
end

local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

local function text(buffer)
  return table.concat(lines(buffer), '\n')
end

--- The line (from 0) that holds a word, and the column of the word.
local function at(buffer, word)
  for number, line in ipairs(lines(buffer)) do
    local column = line:find(word, 1, true)
    if column then
      return number - 1, column - 1
    end
  end
  error(word .. ' does not stand in the text')
end

local function ask(buffer, method, parameters)
  parameters.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, parameters, 10000) or {}) do
    if answer.result then
      return answer.result
    end
  end
  error(method .. ' has no answer')
end

local function position(line, character)
  return { position = { line = line, character = character } }
end

local function codes(buffer)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(found, diagnostic.code)
  end
  table.sort(found)
  return table.concat(found, ' ')
end

local function encoding(buffer)
  return require('ptx-atomics.lsp').clients(buffer)[1].offset_encoding
end

return { folder = folder, wait = wait, open = open, lines = lines, text = text, at = at, ask = ask, position = position, codes = codes, encoding = encoding }
