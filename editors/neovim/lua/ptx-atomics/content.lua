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

--- Opcodes of PTX that begin with other words than those of other assemblies, or have a dot that these do not have.
local OPCODES = {}
for name in ('atom red multimem fence membar mbarrier ld st cp cvt mov bar barrier wgmma mma wmma setp ldmatrix shfl lop3 prmt tcgen05'):gmatch('%S+') do
  OPCODES[name] = true
end

--- The most lines between the beginning of a statement and its first opcode.
local NEAR = 12

--- Whether a line has an opcode of PTX with a modifier.
local function has_opcode(line)
  for name in line:gmatch('%f[%w_](%l[%l%d]*)%.%l') do
    if OPCODES[name] then
      return true
    end
  end
  return false
end

--- Whether an opcode of PTX soon follows one of the words that begin inline assembly.
local function has_statement(buffer, words)
  local near = 0
  return any_line(buffer, function(line)
    for _, word in ipairs(words) do
      if line:find('%f[%w_]' .. word .. '%f[^%w_]') then
        near = NEAR
      end
    end
    near = near - 1
    return near >= 0 and has_opcode(line)
  end)
end

--- C++ with an `asm` statement that has PTX.
function M.has_ptx_asm(buffer)
  return has_statement(buffer, { 'asm', '__asm__', '__asm' })
end

--- Python with a call that has PTX, or with CUDA C++ in its strings.
function M.has_ptx_call(buffer)
  return has_statement(buffer, { 'inline_asm_elementwise', 'inline_asm', 'inline_ptx', 'InlineAsm', 'asm' })
end

--- The check of each file type.
M.checks = {
  ptx = M.is_ptx,
  ptxlitmus = M.is_litmus,
  nvsass = M.is_sass,
  cuda = M.has_ptx_asm,
  cpp = M.has_ptx_asm,
  python = M.has_ptx_call,
}

return M
