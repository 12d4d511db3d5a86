//! Programs as the machine runs them: instructions, operands, and what each instruction does.

pub(in crate::machine) mod analysis;
pub(in crate::machine) mod call;
pub(in crate::machine) mod collective;
pub(in crate::machine) mod effects;
pub(in crate::machine) mod fence;
pub(in crate::machine) mod machine_program;
pub(in crate::machine) mod matrix;
pub(in crate::machine) mod multicast;
pub(in crate::machine) mod operand;
pub(in crate::machine) mod proxy;
pub(in crate::machine) mod special;
