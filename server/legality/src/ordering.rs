//! Facts about instructions that are not atomics, computed once per spelling.

use analysis::effects::Trigger;

/// How an instruction orders memory, and which rules check it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderingFacts {
    /// Whether the tables have rows for it.
    pub has_rows: bool,
    /// Whether it has acquire semantics.
    pub acquires: bool,
    /// Whether it has release semantics.
    pub releases: bool,
    /// Whether it is a `membar`.
    pub membar: bool,
    /// Whether it is a `.volatile` load or store.
    pub volatile: bool,
    /// What the rules about synchronization check in its function.
    pub triggers: Trigger,
}

impl OrderingFacts {
    /// The facts of an opcode as written.
    pub fn of(opcode: &str) -> Self {
        let mut words = opcode.split('.').map(str::trim);
        let mnemonic = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let has = |word: &str| words.contains(&word);
        let fence = matches!(mnemonic, "membar" | "fence") && !has("proxy") && !has("mbarrier_init");
        let both = fence && !has("acquire") && !has("release") || has("acq_rel");
        OrderingFacts {
            has_rows: false,
            acquires: both || has("acquire"),
            releases: both || has("release"),
            membar: mnemonic == "membar",
            volatile: has("volatile") && matches!(mnemonic, "ld" | "st"),
            triggers: Trigger::of(mnemonic, &words),
        }
    }
}
