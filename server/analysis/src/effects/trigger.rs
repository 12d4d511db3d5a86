//! Which functions are analysed.

/// What an opcode makes a function be analysed for. The functions of a module without any of them cost nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trigger(u16);

impl Trigger {
    /// An access with order, or one that polls: `ld.acquire`, `ld.relaxed`, `ld.volatile`, the stores of these, and `atom`.
    pub const STRONG: Trigger = Trigger(1);
    /// Asynchronous copies and matrix operations, mbarriers, tensor maps and fences of proxies.
    pub const ASYNC: Trigger = Trigger(2);
    /// `ld.global.nc`
    pub const NON_COHERENT: Trigger = Trigger(4);
    /// Addresses of other CTAs of a cluster.
    pub const CLUSTER: Trigger = Trigger(8);
    /// `griddepcontrol.wait`
    pub const GRID: Trigger = Trigger(16);
    /// Barriers of the CTA and of the warp.
    pub const BARRIER: Trigger = Trigger(32);
    /// `fence` and `membar`.
    pub const FENCE: Trigger = Trigger(64);
    /// An illegal instruction: the correct one may have any effect.
    pub const ILLEGAL: Trigger = Trigger(128);
    /// A short loop with plain loads, which may poll a flag. Set by the branch at its end.
    pub const PLAIN_POLL: Trigger = Trigger(256);
    /// Calls, which may wait for a flag or set one.
    pub const CALL: Trigger = Trigger(512);

    /// Stores to shared memory, and copies there.
    pub const SHARED_STORE: Trigger = Trigger(1024);

    /// All but illegal instructions and stores to shared memory, which alone are no reason to analyse the data flow of a function.
    pub const SYNCHRONISATION: Trigger = Trigger(!(Self::ILLEGAL.0 | Self::SHARED_STORE.0));

    /// What an opcode triggers.
    pub fn of(mnemonic: &str, words: &[&str]) -> Trigger {
        let is_shared = || words.iter().any(|word| word.starts_with("shared"));
        let stores = matches!(mnemonic, "st" | "stmatrix" | "cp") && is_shared();
        Self::of_order(mnemonic, words) | if stores { Trigger::SHARED_STORE } else { Trigger::default() }
    }

    /// What an opcode triggers by its order.
    fn of_order(mnemonic: &str, words: &[&str]) -> Trigger {
        let has = |word: &str| words.contains(&word);
        match mnemonic {
            "ld" if has("nc") => Trigger::NON_COHERENT,
            "ld" | "st" if has("async") || words.iter().any(|word| word.starts_with("mbarrier")) => Trigger::ASYNC,
            "ld" | "st" if ["volatile", "relaxed", "acquire", "release", "mmio"].iter().any(|word| has(word)) => {
                Trigger::STRONG
            }
            // A result that is returned may be polled.
            "atom" => Trigger::STRONG,
            "red" if has("relaxed") || has("release") || has("acq_rel") => Trigger::STRONG,
            "fence" if has("proxy") || has("mbarrier_init") => Trigger::ASYNC,
            "fence" | "membar" => Trigger::FENCE,
            "cp" | "mbarrier" | "wgmma" | "tcgen05" | "tensormap" | "clusterlaunchcontrol" => Trigger::ASYNC,
            "mapa" => Trigger::CLUSTER,
            "bar" | "setmaxnreg" => Trigger::BARRIER,
            "barrier" if has("cluster") => Trigger::CLUSTER,
            "barrier" => Trigger::BARRIER,
            "griddepcontrol" if has("wait") => Trigger::GRID,
            "call" => Trigger::CALL,
            _ => Trigger::default(),
        }
    }

    /// All of these but some.
    pub const fn without(self, others: Trigger) -> Trigger {
        Trigger(self.0 & !others.0)
    }

    /// Whether any of some others is set.
    pub fn has(self, others: Trigger) -> bool {
        self.0 & others.0 != 0
    }
}

impl std::ops::BitOr for Trigger {
    type Output = Trigger;

    fn bitor(self, other: Trigger) -> Trigger {
        Trigger(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Trigger {
    fn bitor_assign(&mut self, other: Trigger) {
        self.0 |= other.0;
    }
}
