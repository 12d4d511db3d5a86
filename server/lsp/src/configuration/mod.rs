//! The settings, and the files that they come from.

pub(super) mod read_projects;
pub(super) mod settings;
pub(super) mod settings_files;
