//! What is known about a program before it runs: liveness, control dependence, and which values reach what.

pub mod barrier_conditions;
pub mod code_places;
pub mod conditional_barriers;
pub mod constant_guards;
pub mod control_dependences;
pub mod independent;
pub mod liveness;
pub mod loop_registers;
pub mod pointer_sums;
pub mod reached_values;
pub mod register_webs;
pub mod repeatable;
pub mod strong_actions;
pub mod uniform_instructions;
pub mod unread_results;
