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

--- Machine code has addresses in comments, or opcodes in capitals with registers; style sheets have neither.
function M.is_sass(buffer)
  return any_line(buffer, function(line)
    return line:match('/%*%x%x%x%x+%*/')
      or (line:match('^%s*[@!UP%dT]*%s*%u%u[%u%d_]*[%w_.]*%s') and line:match('%f[%w]U?[RP][%dZT]+%f[%W]'))
  end)
end

--- What each file type of ours asks of a buffer.
M.checks = { ptx = M.is_ptx, ptxlitmus = M.is_litmus, nvsass = M.is_sass }

return M
