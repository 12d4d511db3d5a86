//! The requests, a file each: from the protocol's parameters and a view to the protocol's answer. No thinking happens here.

pub mod code_action;
pub mod completion;
pub mod diagnostic;
pub mod hover;
pub mod view_file_text;
