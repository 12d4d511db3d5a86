--- Whether a buffer holds what its name promises: three endings are shared with others.
local M = {}

local LINES = 500

local function any_line(buffer, fits)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, LINES, false)) do
    if fits(line) then
      return true
    end
  end
  return false
end

--- PTX has a `.version` or `.target`; PreTeXt and laser scans have neither.
function M.is_ptx(buffer)
  return any_line(buffer, function(line)
    return line:match('^%s*%.version%s') or line:match('^%s*%.target%s')
  end)
end

--- A litmus test names its architecture first.
function M.is_litmus(buffer)
  local first
  any_line(buffer, function(line)
    first = line
    return line:match('%S')
  end)
  return first ~= nil and first:match('^%s*PTX%f[%W]') ~= nil
end

--- Disassembly says of itself what it is, or holds an instruction: perhaps an address, a brace or a guard, a word in
--- capitals, and a `;`. Style sheets hold none.
function M.is_sass(buffer)
  return any_line(buffer, function(line)
    if line:find('.headerflags', 1, true) or line:find('code for sm_', 1, true) then
      return true
    end
    local code = line:gsub('^%s*/%*%x+%*/', ''):gsub('^%s*{', ''):gsub('^%s*@%S+%s', '')
    local mnemonic, rest = code:match('^%s*(%u[%u%d]+)[%w_.]*(.*)$')
    return mnemonic ~= nil and rest:match('^[%s;]') and rest:find(';', 1, true)
  end)
end

--- What each file type of ours asks of a buffer.
M.checks = { ptx = M.is_ptx, ptxlitmus = M.is_litmus, nvsass = M.is_sass }

return M
