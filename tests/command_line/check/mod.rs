//! `check`: verdicts about all executions of a launch.

mod changed_tensor_maps;
mod check_output;
mod cta_pairs;
mod explored_executions;
mod explored_launches;
mod explored_mbarriers;
mod fence_orders;
mod lanes_that_meet;
mod large_launches;
mod like_threads;
mod liveness;
mod load_buffering;
mod missing_orders;
mod proofs;
pub(crate) mod rare_executions;
mod recorded_verdicts;
mod repairs;
pub(crate) mod small_launches;
mod tensor_map_repairs;
mod undecided;
mod updates;
mod verdict_kinds;
mod verdicts;
mod warpgroup_pipelines;
mod warpgroup_products;
