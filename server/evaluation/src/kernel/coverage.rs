//! What runs of kernels do not execute.

/// Instructions that end a run: what they are, and one of them as it is written.
pub const NOT_EMULATED: [(&str, &str); 7] = [
    ("`mma`, `wmma`, `wgmma` and `tcgen05`", "wgmma.fence.sync.aligned;"),
    (
        "textures and surfaces: `tex`, `tld4`, `txq`, `suld`, `sust`, `sured`, `suq`",
        "suld.b.1d.b32.trap {r}, [d, {r}];",
    ),
    (
        "copies of tensors: `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`, `tensormap.replace`",
        "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [d, {r}], [r];",
    ),
    (
        "`ldmatrix` and `stmatrix` of elements of 4, 6 and 8 bits",
        "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [r], {r};",
    ),
    ("`cp.async.bulk` with `.cp_mask`", "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [d], [r], r, h;"),
    ("`clusterlaunchcontrol`", "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;"),
    (
        "stochastic rounding, scaling and fixed point in `cvt`, which only sm_100 and later have",
        "cvt.rs.f16x2.f32 r, f, f, r;",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use emulator::machine::MachineAction;
    use isa::target::{Target, Version};
    use syntax::LintFile;

    #[test]
    fn these_instructions_stop_a_run() {
        for (_, instruction) in NOT_EMULATED {
            let text = format!(
                ".version 8.6\n.target sm_100a\n.address_size 64\n.entry k() {{ .reg .pred p; .reg .b16 h; .reg .b32 r; .reg .f32 f; .reg .b64 d; .reg .b128 q;\n{instruction}\n}}\n"
            );
            let module = isa::Module { target: Target::parse("sm_100a"), version: Version::parse("8.6") };
            let kernel = Kernel::lower(&LintFile::parse(&text), module, "k").expect("a kernel");
            let code = &kernel.program.functions[0].code;
            assert!(matches!(code[0].action, MachineAction::Unsupported(_)), "{instruction}");
        }
    }
}
