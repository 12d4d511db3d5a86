//! What an evaluation is asked for and what it answers, whichever language the instruction is in.

use diagnostics::Settings;
use emulator::{AccessedSpace, Value};

/// The instruction and the values it meets, as a user writes them.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// An opcode such as `atom.global.add.u32`, or an instruction with its guard and its operands.
    pub instruction: &'a str,
    /// The value in memory; for multimem one per replica, in the order of the reduction.
    pub memory: Vec<&'a str>,
    /// Operand b; for cas the value to compare with.
    pub b: Option<&'a str>,
    /// Operand c; for cas the new value.
    pub c: Option<&'a str>,
    /// What registers and predicates of SASS hold, as `R0=0x1000`; of PTX the guard, as `%p1=0`.
    pub registers: Vec<&'a str>,
    /// Of SASS: where generic addresses reach other memory than global, as `shared=0x1000000..0x1ffffff`.
    pub windows: Vec<&'a str>,
    /// Of SASS: the pixel that the thread shades.
    pub pixel: Pixel,
    /// Where a generic address points to; global if nothing is said.
    pub generic: Option<AccessedSpace>,
    /// The target and version to check for.
    pub settings: Settings,
}

/// What a thread of a pixel shader stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pixel {
    /// A pixel that is drawn, or no pixel at all.
    #[default]
    Live,
    /// A pixel that is computed for its neighbours' sake only.
    Helper,
    /// A pixel that was given up.
    Killed,
}

/// What an instruction left behind.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Memory afterwards; for multimem one per replica.
    pub memory: Vec<Value>,
    /// The destination, where the instruction has one.
    pub destination: Option<Value>,
    /// What happened on the way, a sentence each.
    pub notes: Vec<String>,
    /// Why memory was not reached, where it was not.
    pub fault: Option<Fault>,
}

/// An access that is an error when it runs. It leaves memory as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code of the page about it, where there is one.
    pub code: Option<&'static str>,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
}

/// Why there is nothing to evaluate, in sentences for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// The instruction is illegal: the code and what the linter says of it.
    Illegal {
        /// The finding's code.
        code: &'static str,
        /// The finding's message and help.
        message: String,
    },
    /// The request makes no sense: an unknown instruction, a value that is missing or unreadable.
    Invalid(String),
}
