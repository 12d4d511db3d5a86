//! What the rules want to know of instructions that are no atomics, told once for each spelling that a module repeats.

/// What an instruction is to the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interest {
    /// The tables have rows for it.
    pub has_rows: bool,
    /// It orders what follows behind it, towards other threads.
    pub acquires: bool,
    /// It orders what came before it, towards other threads.
    pub releases: bool,
    /// It is a `membar`.
    pub membar: bool,
    /// It is a `.volatile` load or store.
    pub volatile: bool,
}

impl Interest {
    /// Of an opcode in its written form.
    pub(crate) fn of(opcode: &str) -> Self {
        let mut words = opcode.split('.').map(str::trim);
        let mnemonic = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let has = |word: &str| words.contains(&word);
        let fence = matches!(mnemonic, "membar" | "fence") && !has("proxy") && !has("mbarrier_init");
        let both = fence && !has("acquire") && !has("release") || has("acq_rel");
        Interest {
            has_rows: false,
            acquires: both || has("acquire"),
            releases: both || has("release"),
            membar: mnemonic == "membar",
            volatile: has("volatile") && matches!(mnemonic, "ld" | "st"),
        }
    }
}
