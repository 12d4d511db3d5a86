//! The PTX memory model: which values the threads of a program can read.
//!
//! The model is that of Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model" (ASPLOS 2019), and of
//! the chapter "Memory Consistency Model" of the PTX ISA, with the mixed-proxy extension. [`Execution`] has its relations by their names, and
//! [`axioms`] its axioms; `docs/explanation/memory-model.md` explains both.
//!
//! [`explore()`] finds every outcome of a [`Program`] that the axioms allow, each with a witness execution. [`counterexample()`] finds the
//! axiom that forbids an outcome. [`termination()`] looks for an execution that never ends although every thread is scheduled fairly.

mod access;
pub mod arithmetic;
mod asynchronous;
pub mod axioms;
mod barrier;
mod branch;
mod candidate_execution;
mod coherence;
mod complete_execution;
pub mod condition;
mod counterexample;
mod endless;
mod endless_wait;
mod event;
mod event_set;
pub mod execution;
mod explore;
mod fairness;
mod finish;
mod instruction;
mod liveness;
mod loops;
pub mod mbarrier;
mod memo;
mod node;
mod outcomes;
mod partial_execution;
pub mod program;
mod proxy;
mod races;
mod reads_from;
mod register_function;
pub mod relation;
pub mod repair;
mod rows;
mod run;
mod step;
mod synchronization;
mod termination;
mod undefined_execution;
mod update;
mod values;

pub use arithmetic::Compare;
pub use axioms::{AXIOMS, Axiom, Violation};
pub use condition::{ClaimEvidence, ClaimVerdict, Condition, Quantifier, Term};
pub use counterexample::{Counterexample, counterexample};
pub use endless::EndlessExecution;
pub use endless_wait::EndlessWait;
pub use event::{Event, EventKind, OperationFence};
pub use event_set::{EventSet, MAX_EVENTS};
pub use execution::Execution;
pub use explore::{Budget, explore, explore_cancellable};
pub use fairness::Fairness;
pub use instruction::{
    Access, AwaitedOperation, AwaitedPart, BarrierLevel, BarrierMode, FenceKind, ModelAddress, ModelInstruction,
    ModelOperand, NO_ID,
};
pub use outcomes::Outcomes;
pub use program::{
    Alias, IssueOrder, Location, ModelRegister, Observable, Program, Scope, Sem, Thread, ThreadPosition,
};
pub use proxy::{FencedSpace, ModelProxyFence, Proxy, ProxyDirection};
pub use races::{RaceSearch, data_race};
pub use register_function::RegisterFunction;
pub use relation::Relation;
pub use rows::SortedOutcomes;
pub use termination::{Termination, may_be_endless, termination};
pub use undefined_execution::{DataRace, UndefinedExecution};
pub use update::Update;

/// A value: a bit pattern. Bits above its width are zero.
pub type Bits = u128;
