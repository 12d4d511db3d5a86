//! The editor features of C++, CUDA C++ and Python: PTX features run on the PTX of each statement of inline assembly, and their results are mapped to the
//! host text.

mod constraints;
mod fragments;
mod operands;
mod source;
mod statement_hover;
#[cfg(test)]
mod tests;
