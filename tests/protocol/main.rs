//! Sessions over stdio with the real binary.

mod client;
mod sample_modules;
mod text_model;

mod answers;
mod capabilities;
mod client_capabilities;
mod concurrency;
mod hostile;
mod lax_clients;
mod lifecycle;
mod lint_parity;
mod load;
mod malformed_messages;
mod positions;
mod rapid_changes;
mod session;
mod settings;
mod settings_files;
mod soak;
mod trace;
mod typing;
mod validated;
mod workspace;
