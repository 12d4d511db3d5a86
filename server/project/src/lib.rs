//! The files of a project: discovery, settings from `ptx-atomics.toml`, and reading.
//!
//! The command line and the language server share this crate, so that both check the same files with the same settings.

pub mod compile_commands;
pub mod compiler;
mod config_cache;
mod discover;
mod git_folder;
mod ignore_files;
mod includes;
mod including;
mod links;
mod options;
mod project_config;
pub mod read;

pub use compile_commands::FILE_NAME as COMPILE_COMMANDS;
pub use config_cache::{ConfigCache, FileSelection};
pub use discover::{Discovery, NamedFiles, SkippedFiles, VendoredFiles, discover, discover_while};
pub use including::including_macros;
pub use project_config::{InvalidConfig, ProjectConfig, config_errors};
