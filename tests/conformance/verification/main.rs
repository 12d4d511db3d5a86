//! `check` against the axioms on random programs, against the schedules of `run`, and against what a GPU has shown.

mod asynchronous;
mod axioms;
mod buffering;
mod checked;
mod comparison;
mod decided_writes;
mod hardware;
mod mbarriers;
mod messages;
mod mutants;
mod ordinary;
mod random;
mod schedules;
mod shown;
mod summaries;
mod symmetry;
