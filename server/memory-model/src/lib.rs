//! The PTX memory model: which values the threads of a program can read.
//!
//! The model is that of Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model" (ASPLOS 2019), and of
//! the chapter "Memory Consistency Model" of the PTX ISA, with the mixed-proxy extension. [`Execution`] has its relations by their names, and
//! [`axioms`] its axioms; `docs/explanation/memory-model.md` explains both.
//!
//! [`explore()`] finds every outcome of a [`Program`] that the axioms allow, each with a witness execution. [`counterexample()`] finds the
//! axiom that forbids an outcome. [`termination()`] looks for an execution that never ends although every thread is scheduled fairly.

mod code;
mod model;
mod relations;
mod runs;
mod search;

pub use code::arithmetic::Compare;
pub use code::instruction::{
    Access, AwaitedOperation, AwaitedPart, BarrierLevel, BarrierMode, FenceKind, ModelAddress, ModelInstruction,
    ModelOperand, NO_ID,
};
pub use code::program::{
    Alias, IssueOrder, Location, ModelRegister, Observable, Program, Scope, Sem, Thread, ThreadPosition,
};
pub use code::proxy::{FencedSpace, ModelProxyFence, Proxy, ProxyDirection};
pub use code::register_function::RegisterFunction;
pub use code::update::Update;
pub use model::axioms::{AXIOMS, Axiom, Violation};
pub use model::fairness::Fairness;
pub use model::races::{RaceSearch, data_race};
pub use relations::event::{Event, EventKind, OperationFence};
pub use relations::event_set::{EventSet, MAX_EVENTS};
pub use relations::execution::Execution;
pub use relations::relation::Relation;
pub use relations::undefined_execution::{DataRace, UndefinedExecution};
pub use search::condition::{ClaimEvidence, ClaimVerdict, Condition, Quantifier, Term};
pub use search::counterexample::{Counterexample, counterexample};
pub use search::endless::EndlessExecution;
pub use search::endless_wait::EndlessWait;
pub use search::explore::{Budget, explore, explore_cancellable};
pub use search::outcomes::Outcomes;
pub use search::rows::SortedOutcomes;
pub use search::termination::{Termination, may_be_endless, termination};

pub use code::{arithmetic, program};
pub use model::axioms;
pub use relations::{execution, relation};
pub use runs::mbarrier;
pub use search::{condition, repair};

/// A value: a bit pattern. Bits above its width are zero.
pub type Bits = u128;
