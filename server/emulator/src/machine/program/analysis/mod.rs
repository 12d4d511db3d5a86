//! What is known about a program before it runs: liveness, control dependence, and which values reach what.

pub(in crate::machine) mod barrier_conditions;
pub(in crate::machine) mod code_places;
pub(in crate::machine) mod conditional_barriers;
pub(in crate::machine) mod constant_guards;
pub(in crate::machine) mod control_dependences;
pub(in crate::machine) mod independent;
pub(in crate::machine) mod liveness;
pub(in crate::machine) mod loop_registers;
pub(in crate::machine) mod pointer_sums;
pub(in crate::machine) mod reached_values;
pub(in crate::machine) mod register_webs;
pub(in crate::machine) mod repeatable;
pub(in crate::machine) mod strong_actions;
pub(in crate::machine) mod uniform_instructions;
pub(in crate::machine) mod unread_results;
