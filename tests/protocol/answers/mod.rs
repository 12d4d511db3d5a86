//! What the server answers to the requests of an editor.

mod answer_ranges;
mod code_actions;
mod completion;
pub(crate) mod features;
mod first_offers;
mod hover;
mod inlay_hints;
mod inline_asm;
mod kernel_runs;
mod litmus;
mod mangled_names;
