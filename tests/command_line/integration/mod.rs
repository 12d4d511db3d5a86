//! The program within others: CI, Compiler Explorer, Python, packages.

mod ci;
mod compiler_explorer;
mod distribution;
mod python;
