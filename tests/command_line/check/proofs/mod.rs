//! What a proof is about: all launches, or one under assumptions.

mod any_size;
mod assumptions;
