-- The steps of the journey that run kernels.
local MODULE = [[
.version 8.0
.target sm_90
.address_size 64
//! run count block 64 hist=u32[4]
//! expect hist[1] == 7
.visible .entry count(.param .u64 hist)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  ld.param.u64 %rd1, [hist];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  red.global.add.u32 [%rd3], 1;
  ret;
}]]

return function(tools)
  local wait = tools.wait

  --- What a run shows after the line with a word.
  local function behind(buffer, word)
    local line = tools.at(buffer, word)
    for _, one in ipairs(require('ptx-atomics.run').shown(buffer)) do
      if one.line == line then
        return one.text
      end
    end
  end

  return {
    { 'a launch in a comment is run, and a fix writes the value that was seen', function()
      local path = tools.folder .. '/count.ptx'
      vim.fn.writefile(vim.split(MODULE, '\n'), path)
      vim.cmd('edit! ' .. path)
      local buffer = vim.api.nvim_get_current_buf()
      wait('the wrong expectation', function() return tools.codes(buffer) == 'run-mismatch' end)
      assert(vim.diagnostic.get(buffer)[1].message:find('`hist[1]` is 16, expected 7', 1, true))
      local line = tools.at(buffer, 'expect hist')
      vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { '//! expect hist[1] == 16' })
      wait('nothing', function() return tools.codes(buffer) == '' end)
    end },

    { ':PtxAtomics run shows what each line did, and remembers the launch', function(buffer)
      vim.api.nvim_win_set_cursor(0, { tools.at(buffer, 'mov.u32') + 1, 0 })
      vim.cmd('PtxAtomics run grid 2 block 32 hist=u32[4]')
      wait('the run', function() return behind(buffer, 'mov.u32') end)
      assert(behind(buffer, 'mov.u32') == '×64 · %r1 = 0', behind(buffer, 'mov.u32'))
      local atomic = behind(buffer, 'red.global')
      assert(atomic == '×64 · up to 8 lanes at one address · 8 transactions per warp', atomic)
      assert(vim.deep_equal(require('ptx-atomics.run').last.memory[1].after, { '16', '16', '16', '16' }))

      vim.cmd('PtxAtomics memory')
      local report = table.concat(tools.lines(0), '\n')
      assert(report:find('hist: u32[4], 4 of 4 elements changed\n  hist[0]: 0 → 16', 1, true), report)
      assert(vim.bo.filetype == 'text', vim.bo.filetype)
      vim.cmd('bwipeout')

      local default
      vim.ui.input = function(options, answer)
        default = options.default
        answer(nil)
      end
      vim.cmd('PtxAtomics run')
      wait('the question', function() return default end)
      assert(default == 'grid 2 block 32 hist=u32[4]', default)

      vim.cmd('PtxAtomics thread 1 5')
      wait('the other thread', function() return behind(buffer, 'mov.u32') == '×64 · %r1 = 5' end)
      vim.cmd('PtxAtomics clear')
      assert(#require('ptx-atomics.run').shown(buffer) == 0)
      vim.cmd('PtxAtomics run grid 1 block 32 hist=u32[4]')
      wait('another run', function() return behind(buffer, 'mov.u32') end)

      vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { '// one line more' })
      wait('nothing behind the lines', function() return #require('ptx-atomics.run').shown(buffer) == 0 end)
    end },

    { ':PtxAtomics check says which executions have a problem, until the text changes', function(buffer)
      local check = require('ptx-atomics.check')
      vim.cmd('PtxAtomics check grid 2 block 2 hist=u32[4]')
      wait('the verdict', function() return check.last end)
      assert(check.last.verdict == 'proved', vim.inspect(check.last))
      local line = tools.at(buffer, 'red.global')
      vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { '  st.global.u32 [%rd3], %r1;' })
      check.last = nil
      vim.cmd('PtxAtomics check grid 2 block 2 hist=u32[4]')
      wait('the second verdict', function() return check.last end)
      local function found()
        return vim.tbl_filter(function(one) return one.source == 'ptx-atomics check' end, vim.diagnostic.get(buffer))
      end
      assert(check.last.verdict == 'refuted' and #found() == 1, vim.inspect(check.last))
      assert(found()[1].lnum == line and found()[1].message:find('data race', 1, true), found()[1].message)
      vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { '// and one more' })
      wait('no diagnostics of the check', function() return #found() == 0 end)
    end },

    { 'a problem of a run is a diagnostic at the PTX and at its source line, to which a command leads', function(buffer)
      local source = tools.folder .. '/count.cu'
      vim.fn.writefile({ '', '', 'hist[i] = i;' }, source)
      local line = tools.at(buffer, 'st.global')
      vim.api.nvim_buf_set_lines(buffer, line, line, false, { '  .loc 1 3 1' })
      vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { '.file 1 "count.cu"' })
      vim.cmd('PtxAtomics run grid 1 block 32 hist=u32[2]')
      local function found(where)
        return vim.tbl_filter(function(one) return one.source == 'ptx-atomics run' end, vim.diagnostic.get(where))
      end
      wait('the problems', function() return #found(buffer) > 0 end)
      assert(found(buffer)[1].lnum == line + 1, vim.inspect(found(buffer)))
      local there = found(vim.fn.bufnr(source))
      assert(#there > 0 and there[1].lnum == 2 and there[1].message == found(buffer)[1].message, vim.inspect(there))
      vim.api.nvim_win_set_cursor(0, { line + 2, 4 })
      vim.cmd('PtxAtomics source')
      wait('the source line', function() return vim.api.nvim_buf_get_name(0):match('count%.cu$') end)
      assert(vim.api.nvim_win_get_cursor(0)[1] == 3)
      vim.cmd('buffer ' .. buffer)
      vim.cmd('PtxAtomics clear')
      assert(#found(buffer) == 0 and #found(vim.fn.bufnr(source)) == 0)
    end },
  }
end
