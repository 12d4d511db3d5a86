//! Sessions with `ptx-atomics dap` over standard input and output.

mod breakpoints;
mod checkpoints;
mod client;
mod clients;
mod edits;
mod from_cuda;
mod inspection;
mod malformed;
mod schedule;
mod sources;
mod stepping;
mod tutorial;
