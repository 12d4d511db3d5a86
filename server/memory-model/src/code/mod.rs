//! Programs as the model sees them: instructions, loops, live registers, proxies.

pub mod arithmetic;
pub(crate) mod instruction;
pub(crate) mod liveness;
pub(crate) mod loops;
pub mod program;
pub(crate) mod proxy;
pub(crate) mod register_function;
pub(crate) mod update;
