//! PTX inside C++.

mod shapes;
mod statements;
