//! C++ and CUDA C++, as a language: what is asked of PTX is asked of the text that each `asm` statement stands for, and the answers are
//! put where they belong in the host text.
//!
//! Must not know how an answer is found; what cannot be put anywhere is left out.

mod fragments;
mod source;
mod statement_hover;
