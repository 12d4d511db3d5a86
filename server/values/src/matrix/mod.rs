//! What tensor cores compute: products of matrices, bit for bit.
//!
//! [`MatrixArithmetic`] is the arithmetic of one instruction on one [`TensorCore`]; it knows matrices of elements, no registers, lanes or memory.
//! Addends of floating-point numbers are cut to the bits that the hardware keeps, and their sum is exact.
//!
//! The scheme (a fused sum of products that are aligned to the greatest exponent and truncated) is that of Fasi, Higham, Mikaitis and Pranesh,
//! "Numerical behavior of NVIDIA tensor cores" (2021), and of Xie et al., "MMA-Sim" (arXiv 2511.10909), whose parameters are those of all
//! architectures but Hopper. Hopper was measured on an H200 (`tests/evidence/matrix_products`).

mod architecture;
pub mod arithmetic;
mod dot_add;
mod element;
mod float_product;
mod integer;

pub use crate::matrix::architecture::{ArithmeticSource, MatrixUnit, TensorCore};
pub use crate::matrix::arithmetic::{MatrixArithmetic, MatrixProduct, MatrixSize};
pub use crate::matrix::element::{AccumulatorType, MatrixElement};
pub use crate::matrix::integer::{BitOperation, IntegerOverflow};
