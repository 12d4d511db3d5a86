-- Sets file types, attaches the server, and defines `:PtxAtomics`.
local group = vim.api.nvim_create_augroup('ptx-atomics', { clear = true })

local types = { ['*.ptx'] = 'ptx', ['*.sass'] = 'nvsass', ['*.litmus'] = 'ptxlitmus' }
for pattern, filetype in pairs(types) do
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
    group = group,
    pattern = pattern,
    callback = function(event)
      if require('ptx-atomics.content').checks[filetype](event.buf) then
        vim.bo[event.buf].filetype = filetype
      end
    end,
  })
end

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = vim.tbl_keys(require('ptx-atomics').languages),
  callback = function(event)
    require('ptx-atomics').opened(event.buf)
  end,
})

vim.api.nvim_create_autocmd('BufWritePost', {
  group = group,
  callback = function(event)
    require('ptx-atomics').written(event.buf)
  end,
})

vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  group = group,
  pattern = 'ptx-atomics.toml',
  desc = 'diagnostics of the settings file',
  callback = function(event)
    require('ptx-atomics').attach(event.buf)
  end,
})

vim.api.nvim_create_user_command('PtxAtomics', function(call)
  require('ptx-atomics.commands').run(call)
end, {
  nargs = '+',
  desc = 'ptx-atomics: evaluate, run, memory, thread, check, source, ptx, cancel, clear, executions, forms, target, restart, log, parser',
  complete = function(lead, line)
    return require('ptx-atomics.commands').complete(lead, line)
  end,
})

vim.lsp.commands['ptxAtomics.evaluate'] = function(command, context)
  require('ptx-atomics.evaluate').run(command, context)
end

vim.lsp.commands['ptxAtomics.run'] = function(command, context)
  require('ptx-atomics.run').run(command, context)
end

vim.lsp.commands['ptxAtomics.check'] = function(command, context)
  require('ptx-atomics.check').run(command, context)
end

if require('ptx-atomics.lsp').by_config() then
  if vim.treesitter.language.register then
    vim.treesitter.language.register('sass', 'nvsass')
  end
  vim.lsp.enable('ptx-atomics')
end
