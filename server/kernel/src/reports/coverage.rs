//! What runs of kernels do not execute.

/// Instructions that end a run.
#[derive(Clone, Copy, Debug)]
pub struct NotEmulated {
    /// What they are, as Markdown.
    pub what: &'static str,
    /// Their opcodes: a mnemonic, and modifiers or the begins of modifiers that they have, or after a `!` do not have.
    opcodes: &'static [&'static str],
}

/// All of them.
pub const NOT_EMULATED: [NotEmulated; 12] = [
    NotEmulated {
        what: "`mma` with `.block_scale`, or with floating-point elements of 4 and 6 bits",
        opcodes: &["mma block_scale", "mma e2m1", "mma e2m3", "mma e3m2"],
    },
    NotEmulated {
        what: "`mma`, `cp` and `shift` of `tcgen05`; `check` follows their accesses, not their results",
        opcodes: &["tcgen05 mma", "tcgen05 cp", "tcgen05 shift"],
    },
    NotEmulated {
        what: "`tcgen05.ld` and `tcgen05.st` of other shapes than `.32x32b`, whose accesses, not values, `check` follows",
        opcodes: &["tcgen05 ld 16x", "tcgen05 st 16x"],
    },
    NotEmulated {
        what: "`tcgen05.ld` with `.red` or `.spcompress`",
        opcodes: &["tcgen05 ld red", "tcgen05 ld spcompress"],
    },
    NotEmulated {
        what: "textures and surfaces: `tex` with a sampler, a level of detail, an offset, of cubes or of `.f16` and `.f16x2`, \
               `tld4`, `txq` and `suq` of anything but a size, `suld` and `sust` of cubes, `sust.p`, `sured`, `istypep`",
        opcodes: &[
            "tex level",
            "tex base",
            "tex grad",
            "tex cube",
            "tex acube",
            "tex 2dms",
            "tex a2dms",
            "tex f16",
            "tld4",
            "txq !width !height !depth",
            "txq level",
            "suq !width !height !depth",
            "sust p",
            "sured",
            "istypep",
        ],
    },
    NotEmulated {
        what: "tensor copies with `.im2col::w`, `.override` or `.report`; `tensormap.query`, and `tensormap.replace` of `.interleave_layout` and `.swizzle_atomicity`",
        opcodes: &[
            "cp tensor im2col::w !prefetch",
            "cp tensor override !prefetch",
            "cp tensor report",
            "tensormap query",
            "tensormap interleave_layout",
            "tensormap swizzle_atomicity",
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
