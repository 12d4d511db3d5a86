//! Computations on registers that are not among those of [`crate::code::arithmetic`].

use crate::Bits;
use std::fmt;
use std::sync::Arc;

/// A function of up to four registers without other effects, such as an instruction of PTX that the emulator computes. An operand that it does not
/// have is 0.
#[derive(Clone)]
pub struct RegisterFunction(Arc<dyn Fn([Bits; 4]) -> Bits + Send + Sync>);

impl RegisterFunction {
    /// A function that is computed so.
    pub fn new(apply: impl Fn([Bits; 4]) -> Bits + Send + Sync + 'static) -> Self {
        Self(Arc::new(apply))
    }

    /// Its result.
    pub fn apply(&self, operands: [Bits; 4]) -> Bits {
        (self.0)(operands)
    }
}

impl fmt::Debug for RegisterFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RegisterFunction")
    }
}

impl PartialEq for RegisterFunction {
    /// Whether both are the same one: what they compute is not compared.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
