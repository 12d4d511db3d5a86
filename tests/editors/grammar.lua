-- The grammar in a real Neovim: nvim --headless -u NONE -c 'luafile tests/editors/grammar.lua'
-- PTX_ATOMICS_ROOT is the root of the repository, PTX_GRAMMAR the shared library. Prints "grammar done" when all went well.
local function read(path)
  local file = assert(io.open(path))
  local text = file:read('*a')
  file:close()
  return text
end

local function check()
  local folder = assert(os.getenv('PTX_ATOMICS_ROOT'), 'PTX_ATOMICS_ROOT') .. '/grammar/ptx'
  local library = assert(os.getenv('PTX_GRAMMAR'), 'PTX_GRAMMAR')
  if vim.treesitter.language.add then
    vim.treesitter.language.add('ptx', { path = library })
  else
    vim.treesitter.require_language('ptx', library)
  end
  local parse_query = vim.treesitter.query.parse or vim.treesitter.query.parse_query

  -- Every query fits the grammar and finds something in the file that was written for it.
  for _, name in ipairs({ 'highlights', 'locals', 'folds', 'indents', 'injections', 'tags', 'textobjects' }) do
    local query = parse_query('ptx', read(folder .. '/queries/' .. name .. '.scm'))
    local text = read(folder .. '/test/queries/' .. name .. '.ptx')
    local root = vim.treesitter.get_string_parser(text, 'ptx'):parse()[1]:root()
    assert(not root:has_error(), name .. '.ptx is well-formed')
    local found = {}
    for capture in query:iter_captures(root, text, 0, -1) do found[query.captures[capture]] = true end
    for _, capture in pairs(query.captures) do
      assert(found[capture] or capture:sub(1, 1) == '_', name .. ': ' .. capture .. ' is never found')
    end
  end

  -- A buffer is coloured, and its tree follows the edits.
  vim.cmd('enew')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(read(folder .. '/test/modules/tally.ptx'), '\n'))
  local parser = vim.treesitter.get_parser(0, 'ptx')
  assert(not parser:parse()[1]:root():has_error(), 'a real module is well-formed')
  vim.treesitter.highlighter.new(parser, { queries = { ptx = read(folder .. '/queries/highlights.scm') } })
  vim.cmd('redraw')
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, false, { '.func broken( {' })
  assert(parser:parse()[1]:root():has_error(), 'a broken line shows in the tree')
  vim.api.nvim_buf_set_lines(0, last, last + 1, false, {})
  assert(not parser:parse()[1]:root():has_error(), 'and is gone with the line')
end

local ok, message = xpcall(check, debug.traceback)
io.stdout:write(ok and 'grammar done\n' or tostring(message) .. '\n')
vim.cmd(ok and 'qall!' or 'cquit!')
