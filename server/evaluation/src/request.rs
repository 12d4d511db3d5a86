//! Requests and results of evaluations, for PTX and SASS.

use diagnostics::Settings;
use values::{AccessedSpace, Value};

/// The instruction and its inputs, as the user writes them.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// An opcode such as `atom.global.add.u32`, or an instruction with its guard and its operands.
    pub instruction: &'a str,
    /// The value in memory; for multimem one per replica, in reduction order.
    pub memory: Vec<&'a str>,
    /// Operand b; for `cas` the value to compare with.
    pub b: Option<&'a str>,
    /// Operand c; for `cas` the new value.
    pub c: Option<&'a str>,
    /// SASS: values of registers and predicates, as `R0=0x1000`. PTX: the value of the guard, as `%p1=0`.
    pub registers: Vec<&'a str>,
    /// SASS: windows of generic addresses that are not global memory, as `shared=0x1000000..0x1ffffff`.
    pub windows: Vec<&'a str>,
    /// SASS: the pixel that the thread shades.
    pub pixel: Pixel,
    /// The space that a generic address refers to; by default global.
    pub generic: Option<AccessedSpace>,
    /// The target and version to check for.
    pub settings: Settings,
}

/// The pixel of a thread of a pixel shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pixel {
    /// A pixel that is drawn, or no pixel shader.
    #[default]
    Live,
    /// A helper pixel, which only provides values to its neighbours.
    Helper,
    /// A killed pixel.
    Killed,
}

/// The result of an instruction.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Memory afterwards; for multimem one per replica.
    pub memory: Vec<Value>,
    /// The destination, if the instruction has one.
    pub destination: Option<Value>,
    /// Notes about the computation.
    pub notes: Vec<String>,
    /// The fault, if memory was not accessed.
    pub fault: Option<Fault>,
}

/// A runtime error of an access. Memory is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code of the rule about it, if any.
    pub code: Option<&'static str>,
    /// The message, without a full stop.
    pub message: String,
}

/// Why a request cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// The instruction is illegal, as the linter reports.
    Illegal {
        /// The code of the diagnostic.
        code: &'static str,
        /// The message and help of the diagnostic.
        message: String,
    },
    /// The request is invalid: an unknown instruction, or a missing or invalid value.
    Invalid(String),
}
