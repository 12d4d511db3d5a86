--- Detects by its text whether a buffer holds what its extension suggests: three extensions are also used by other languages.
local M = {}

--- Lines are read in blocks, because a match is usually among the first and a listing may have millions.
local BLOCK = 1000

local function any_line(buffer, fits)
  for first = 0, vim.api.nvim_buf_line_count(buffer) - 1, BLOCK do
    for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, first, first + BLOCK, false)) do
      if fits(line) then
        return true
      end
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

--- A listing has a directive or comment that only disassemblers print, or an instruction: an optional address, brace and
--- guard, a word in capitals, and a `;`. Style sheets have none of these.
function M.is_sass(buffer)
  return any_line(buffer, function(line)
    if line:match('^%s*%.headerflags%s') or line:match('^%s*%.elftype%s') or line:find('code for sm_', 1, true) then
      return true
    end
    local code = line:gsub('^%s*/%*%x+%*/', ''):gsub('^%s*{', ''):gsub('^%s*@%S+%s', '')
    local mnemonic, rest = code:match('^%s*(%u[%u%d]+)[%w_.]*(.*)$')
    return mnemonic ~= nil and rest:match('^[%s;]') and rest:find(';', 1, true)
  end)
end

--- The check of each of our file types.
M.checks = { ptx = M.is_ptx, ptxlitmus = M.is_litmus, nvsass = M.is_sass }

return M
