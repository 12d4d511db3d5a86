//! Requests that execute PTX: evaluations, pictures of executions, runs and checks.

pub mod evaluation;
pub mod executions;
pub mod kernel_check;
pub mod kernel_run;
pub mod view_file_text;
