//! The files of a project: which there are, what `ptx-atomics.toml` says of them, and their text.
//!
//! The command line and the server ask here, so that both look at the same and find the same. Only reads; must not know what anything is for.

pub mod commands;
mod discover;
mod includes;
mod projects;
pub mod read;
mod speaker;

pub use discover::{Discovery, PassedOver, discover};
pub use projects::Projects;
pub use speaker::{Speaker, settings_for};
