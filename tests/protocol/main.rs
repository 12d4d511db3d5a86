//! Sessions over stdio with the real binary.

mod client;
mod sample_modules;
mod text_model;

mod answer_ranges;
mod capabilities;
mod client_capabilities;
mod code_actions;
mod completion;
mod concurrency;
mod features;
mod hostile;
mod hover;
mod inlay_hints;
mod inline_asm;
mod kernel_runs;
mod lax_clients;
mod lifecycle;
mod lint_parity;
mod litmus;
mod load;
mod malformed_messages;
mod mangled_names;
mod positions;
mod rapid_changes;
mod session;
mod settings;
mod settings_files;
mod soak;
mod trace;
mod validated;
mod workspace;
