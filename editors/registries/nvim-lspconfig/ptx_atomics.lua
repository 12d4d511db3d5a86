---@brief
---
--- https://github.com/OWNER/ptx-atomics
---
--- `ptx-atomics`, a language server for PTX, the assembly language of NVIDIA GPUs. Install it with `pip install ptx-atomics`.
---
--- The plugin in its repository also reads PTX in CUDA C++ and Python, evaluates atomics and debugs kernels.

---@type vim.lsp.Config
return {
  cmd = { 'ptx-atomics', 'lsp' },
  filetypes = { 'ptx' },
  root_markers = { 'ptx-atomics.toml', 'compile_commands.json', '.git' },
}
