-- Gives PTX files their type and attaches them to the server.
local group = vim.api.nvim_create_augroup('ptx-atomics', { clear = true })

vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  group = group,
  pattern = '*.ptx',
  callback = function(event)
    if require('ptx-atomics').is_ptx(event.buf) then
      vim.bo[event.buf].filetype = 'ptx'
    end
  end,
})

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = 'ptx',
  callback = function(event)
    vim.bo[event.buf].commentstring = '// %s'
    require('ptx-atomics').attach(event.buf)
  end,
})

vim.lsp.commands['ptxAtomics.evaluate'] = function(command, context)
  require('ptx-atomics.evaluate').run(command, context)
end
