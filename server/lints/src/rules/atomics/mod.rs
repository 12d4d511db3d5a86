//! Rules about single atomics: their value, their cost and how they are used.

pub(crate) mod dead_atomic;
pub(crate) mod duplicate_lane;
pub(crate) mod flushed_subnormals;
pub(crate) mod generic_red;
pub(crate) mod handmade_atomic;
pub(crate) mod hidden_loop;
pub(crate) mod multimem_address;
pub(crate) mod torn_access;
pub(crate) mod unordered_sum;
pub(crate) mod unused_result;
