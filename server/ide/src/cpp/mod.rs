//! The editor features of C++ and CUDA C++: PTX features run on the PTX of each `asm` statement, and their results are mapped to the
//! host text.

mod fragments;
mod source;
mod statement_hover;
