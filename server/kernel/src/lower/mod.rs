//! PTX to the program of the machine: one file for each group of instructions.

pub(super) mod accesses;
pub(super) mod atomics;
pub(super) mod calls;
pub(super) mod collectives;
pub(super) mod copies;
pub(super) mod function;
pub(super) mod function_body;
pub(super) mod images;
pub(super) mod instructions;
pub mod kernel_lowering;
pub(super) mod launch_control;
pub(super) mod map_parameters;
pub(super) mod matrices;
pub(super) mod matrix_products;
pub(super) mod mbarriers;
pub(super) mod moves;
pub(super) mod opcode;
pub(super) mod operands;
pub(super) mod pairs;
pub(super) mod scalars;
pub(super) mod tensor_copies;
pub(super) mod tensor_memory;
pub(super) mod warpgroup;
