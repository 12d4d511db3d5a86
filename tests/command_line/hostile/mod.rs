//! Input that nobody wrote in good faith, and systems that fail.

mod escaping;
mod faults;
mod file_writes;
mod growth;
pub(crate) mod hostile_files;
mod hostile_kernels;
mod hostile_repositories;
mod hostile_sizes;
mod limits;
mod robustness;
mod security;
