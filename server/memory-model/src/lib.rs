//! The PTX memory model: which values can threads see?
//!
//! A [`Program`] is explored into [`Outcomes`]: every result that the axioms allow, each with an execution that shows it. The model is
//! the one of the PTX ISA, chapter "Memory Consistency Model", with the mixed-proxy extension. Must not know text, ranges or clocks.

pub mod axioms;
mod barrier;
mod coherence;
pub mod compute;
pub mod condition;
mod event;
pub mod execution;
mod explore;
mod finish;
mod light;
mod liveness;
mod memo;
mod node;
mod outcomes;
pub mod program;
mod quick;
pub mod relation;
mod rows;
mod run;
mod skeleton;
mod step;
mod suspect;

pub use axioms::{AXIOMS, Axiom, Violation};
pub use compute::Compare;
pub use condition::{Condition, Judgement, Quantifier, Term};
pub use event::{Event, Kind};
pub use execution::Execution;
pub use explore::{Budget, explore, explore_unless};
pub use outcomes::Outcomes;
pub use program::{
    Access, Address, Alias, Instruction, Level, Location, Mode, NO_ID, Observable, Operand, Place, Program, Proxy,
    Reach, Register, Scope, Sem, Thread, Update,
};
pub use relation::Relation;
pub use rows::Ordered;
pub use suspect::{Forbidden, forbidden};

/// A value: a bit pattern, as wide as whoever made it says, with nothing above.
pub type Bits = u128;
