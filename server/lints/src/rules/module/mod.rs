//! Rules about a module as a whole: its header, names and constants.

pub(crate) mod address_size;
pub(crate) mod header;
pub(crate) mod invalid_constant;
pub(crate) mod syntax_error;
pub(crate) mod undeclared_register;
pub(crate) mod unknown_to_toolkit;
