//! C++ and CUDA C++, as a language: what is asked of PTX is asked of the text that each `asm` statement stands for, and the answers are
//! put where they belong in the host text.

mod fragments;
mod source;
mod statement_hover;
