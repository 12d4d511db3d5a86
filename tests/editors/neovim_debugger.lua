-- The steps of the journey that debug a kernel. nvim-dap is in no registry that tests/install uses, so this is a client of its own: requests over
-- the pipes of a process, the sign of the stop in the buffer, as plugins have it.
local uv = vim.loop

--- A session with `ptx-atomics dap`.
local Session = {}
Session.__index = Session

function Session.start(tools)
  local self = setmetatable({ tools = tools, seq = 0, received = '', answers = {}, events = {} }, Session)
  self.input, self.output = uv.new_pipe(false), uv.new_pipe(false)
  self.process = assert(uv.spawn(os.getenv('PTX_ATOMICS_BIN'), { args = { 'dap' }, stdio = { self.input, self.output, nil } }, function(code)
    self.exit_code = code
  end))
  self.output:read_start(vim.schedule_wrap(function(problem, chunk)
    assert(not problem, problem)
    self.received = self.received .. (chunk or '')
    while self:take() do end
  end))
  return self
end

--- Takes one whole message from what was received.
function Session:take()
  local head, length = self.received:match('^(Content%-Length: (%d+)\r\n\r\n)')
  if not head or #self.received < #head + length then
    return false
  end
  local message = vim.fn.json_decode(self.received:sub(#head + 1, #head + length))
  self.received = self.received:sub(#head + length + 1)
  if message.type == 'response' then
    self.answers[message.request_seq] = message
  else
    table.insert(self.events, message)
  end
  return true
end

function Session:request(command, arguments)
  self.seq = self.seq + 1
  local number = self.seq
  local body = vim.fn.json_encode({ seq = number, type = 'request', command = command, arguments = arguments or vim.empty_dict() })
  self.input:write(('Content-Length: %d\r\n\r\n%s'):format(#body, body))
  self.tools.wait('the answer to ' .. command, function() return self.answers[number] end)
  local answer = self.answers[number]
  assert(answer.success, answer.message)
  return answer.body
end

function Session:event(name)
  local found
  self.tools.wait('the event ' .. name, function()
    for at, event in ipairs(self.events) do
      if event.event == name then
        found = table.remove(self.events, at).body or {}
        return true
      end
    end
  end)
  return found
end

--- Resumes the run and shows where it stops.
function Session:resume(command)
  self:request(command, { threadId = self.thread or 1 })
  return self:stopped()
end

function Session:stopped()
  local stop = self:event('stopped')
  self.thread = stop.threadId
  self.frame = self:request('stackTrace', { threadId = self.thread }).stackFrames[1]
  vim.cmd('edit ' .. vim.fn.fnameescape(self.frame.source.path))
  vim.api.nvim_win_set_cursor(0, { self.frame.line, self.frame.column - 1 })
  return stop
end

function Session:value(expression)
  return self:request('evaluate', { expression = expression, frameId = self.frame.id }).result
end

return function(tools)
  return {
    { 'a kernel is debugged: a breakpoint, steps, a register, an edit, a mistake', function()
      local buffer = tools.open('count.ptx')
      local path = vim.api.nvim_buf_get_name(buffer)
      local add = tools.at(buffer, 'add.u32') + 1
      local here = function() return vim.api.nvim_get_current_line():match('^%s*(%S+)') end
      local session = Session.start(tools)
      assert(session:request('initialize', { adapterID = 'ptx-atomics', clientID = 'neovim', linesStartAt1 = true }).supportsStepBack)
      session:request('launch', { program = path, block = 32, args = { total = 'u32[1]' } })
      session:event('initialized')
      session:request('setBreakpoints', { source = { path = path }, breakpoints = { { line = add } } })
      session:request('setExceptionBreakpoints', { filters = { 'data-race' } })
      session:request('configurationDone')
      assert(session:stopped().reason == 'breakpoint' and here() == 'add.u32', here())
      assert(session:value('%r1') == '0' and session:value('%r2') == '0 (undefined)')

      assert(session:resume('next').reason == 'step' and here() == 'st.global.u32', here())
      assert(session:value('%r2') == '1')
      session:resume('stepBack')
      assert(here() == 'add.u32' and session:value('%r2') == '0 (undefined)', here())
      session:request('setExpression', { expression = '%r1', value = '41', frameId = session.frame.id })
      session:resume('next')
      assert(session:value('%r2') == '42 (0x2a)', session:value('%r2'))

      local stop = session:resume('continue')
      assert(stop.reason == 'exception' and stop.description == 'data-race' and here() == 'st.global.u32', vim.inspect(stop))
      session:request('disconnect')
      tools.wait('the end of the debugger', function() return session.exit_code == 0 end)
    end },
  }
end
