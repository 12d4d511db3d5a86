//! Small launches as programs of the memory model, whose executions are found from the axioms alone, load buffering included.
//!
//! Each thread becomes code of its own: what is the same in all executions (its number, the parameters, indices computed from them) is computed
//! beforehand, and what depends on a read stays an instruction of [`memory_model`]. The words of memory that it accesses become locations. Kernels
//! that access local memory, call functions, or have copies or tensor instructions are none of these programs.

mod accesses;
mod answer;
mod instructions;
mod launch;
mod launched_thread;
mod shown;
mod thread;
mod thread_code;

pub use crate::modelled::answer::{ModelAnswer, ModelEffort, ask_model};
pub use crate::modelled::launch::ModelledLaunch;
pub use crate::modelled::launched_thread::ModelledWord;
