//! Typed values, bit for bit as a GPU computes them.
//!
//! Typed values, memory as little-endian bytes, every read-modify-write of atom, red and multimem, every scalar instruction as measured on an
//! H100, and the products of matrices.

pub mod computation;
mod evaluate;
pub mod float;
pub mod hex;
pub mod interesting;
pub mod literal;
pub mod matrix;
pub mod memory;
pub mod multimem;
pub mod notes;
pub mod ops;
pub mod scalar;
pub mod steps;
pub mod value;

pub use crate::computation::{Computation, ComputationError};
pub use crate::evaluate::{AtomicResult, evaluate, execute};
pub use crate::memory::{AccessError, Memory};
pub use crate::notes::{ElementEvent, EvaluationNote};
pub use crate::ops::{AccessedSpace, Operation, Subnormals};
pub use crate::steps::steps;
pub use crate::value::{Element, Shape, Value};
