//! PTX inside C++.

mod shapes;
mod sources;
mod statements;
