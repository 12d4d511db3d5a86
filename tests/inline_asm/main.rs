//! PTX inside C++ and Python.

mod llvm;
mod shapes;
mod sources;
mod statements;
