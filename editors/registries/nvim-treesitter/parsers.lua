-- Entries for lua/nvim-treesitter/parsers.lua; the queries are those of grammar/ptx/queries and grammar/sass/queries.
-- `revision` is the commit of a release.
return {
  ptx = {
    install_info = {
      url = 'https://github.com/OWNER/ptx-atomics',
      revision = 'v0.1.0',
      location = 'grammar/ptx',
    },
    maintainers = { '@OWNER' },
    tier = 2,
  },
  -- For lua/nvim-treesitter's plugin/filetypes.lua: sass = { 'nvsass' }; the file type `sass` is that of style sheets.
  sass = {
    install_info = {
      url = 'https://github.com/OWNER/ptx-atomics',
      revision = 'v0.1.0',
      location = 'grammar/sass',
    },
    maintainers = { '@OWNER' },
    tier = 2,
  },
}
