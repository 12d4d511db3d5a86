//! What runs of kernels do not execute.

/// Instructions that end a run.
#[derive(Clone, Copy, Debug)]
pub struct NotEmulated {
    /// What they are, as Markdown.
    pub what: &'static str,
    /// Their opcodes: a mnemonic, and modifiers or the begins of modifiers that they have, or behind a `!` do not have.
    opcodes: &'static [&'static str],
}

/// All of them.
pub const NOT_EMULATED: [NotEmulated; 9] = [
    NotEmulated {
        what: "`mma`, `wmma`, `wgmma` and `tcgen05`; `check` follows the accesses of `wgmma`, not its results",
        opcodes: &["mma", "wmma", "wgmma mma_async", "tcgen05"],
    },
    NotEmulated {
        what: "textures and surfaces: `tex`, `tld4`, `txq`, `suld`, `sust`, `sured`, `suq`, `istypep`",
        opcodes: &["tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"],
    },
    NotEmulated {
        what: "tensor copies in other modes than `.tile`, and with `.override` or `.report`; `tensormap`",
        opcodes: &[
            "cp tensor im2col !prefetch",
            "cp tensor tile:: !prefetch",
            "cp tensor override !prefetch",
            "cp tensor report",
            "tensormap",
        ],
    },
    NotEmulated {
        what: "`ldmatrix` and `stmatrix` of elements of 4, 6 and 8 bits",
        opcodes: &["ldmatrix b8", "stmatrix b8"],
    },
    NotEmulated {
        what: "stochastic rounding (`.rs`), scaling (`.scaled::`) and fixed point (`.s2f6x2`) in `cvt`: only sm_100 and later have them, and which bits they give was not measured",
        opcodes: &["cvt rs", "cvt scaled::", "cvt s2f6x2"],
    },
    NotEmulated {
        what: "`st.async` and `red.async` without an mbarrier",
        opcodes: &["st async !mbarrier !v2 !v4 !b128", "red async !mbarrier"],
    },
    NotEmulated { what: "`mbarrier.check_layout`", opcodes: &["mbarrier check_layout"] },
    NotEmulated { what: "`fabric`, which reaches other devices", opcodes: &["fabric"] },
    NotEmulated { what: "`spcompress` and `spdecompress`", opcodes: &["spcompress", "spdecompress"] },
];

/// Whether an instruction with an opcode ends a run.
pub fn ends_run(opcode: &str) -> bool {
    let mut words = opcode.split('.');
    let mnemonic = words.next().unwrap_or_default();
    let modifiers: Vec<&str> = words.collect();
    NOT_EMULATED.iter().flat_map(|one| one.opcodes).any(|pattern| {
        let mut parts = pattern.split(' ');
        let has = |part: &str| modifiers.iter().any(|modifier| modifier.starts_with(part));
        let fits = |part: &str| part.strip_prefix('!').map_or_else(|| has(part), |part| !has(part));
        parts.next() == Some(mnemonic) && parts.all(fits)
    })
}
