//! `run`: kernels, what they leave in memory, and the mistakes that a run finds.

mod alignments;
mod beside;
mod cores;
mod cta_names;
mod data_races;
mod deadlocks;
mod dependent_launches;
mod ended_ctas;
mod ending_loops;
mod images;
mod kernel_mistakes;
mod kernels;
mod matrix_products;
mod scattered_reads;
mod several_mistakes;
mod skipped_barriers;
mod sources;
mod streams;
mod tensor_memory;
pub(crate) mod tensors;
pub(crate) mod unordered_buffers;
mod waits;
mod warp_accesses;
mod warp_exchanges;
