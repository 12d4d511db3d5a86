//! The rules, in folders by what they are about. The driver calls them.

pub(crate) mod addresses;
pub(crate) mod asm;
pub(crate) mod asynchronous;
pub(crate) mod atomics;
pub(crate) mod barriers;
pub(crate) mod comments;
pub(crate) mod instructions;
pub(crate) mod module;
pub(crate) mod order;
pub(crate) mod scopes;
