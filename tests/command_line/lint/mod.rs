//! `lint` and `fmt`: what is found in files, and how it is fixed, counted and left out.

mod binaries;
mod changes;
mod first_mistakes;
mod fixes;
mod fixtures;
mod formatting;
mod included_files;
mod large_texts;
mod linted_files;
mod sass;
mod settings;
mod summary;
mod suppression;
mod vendored;
