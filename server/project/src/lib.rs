//! The files of a project: which there are, what `ptx-atomics.toml` says of them, and their text.
//!
//! The command line and the server ask here, so that both look at the same and find the same. Only reads; must not know what anything is for.

pub mod compile_commands;
mod config_cache;
mod discover;
mod includes;
mod project_config;
pub mod read;

pub use config_cache::ConfigCache;
pub use discover::{Discovery, SkippedFiles, discover};
pub use project_config::{ProjectConfig, settings_for};
