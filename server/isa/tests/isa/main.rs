//! The tables as their users see them: reasons, fixes, completion, text.

mod common;
mod completion;
mod diagnose;
mod rows;
mod text;
mod words;
