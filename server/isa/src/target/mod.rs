//! All targets: names, families, and the first version of each; the target and version of a module.

mod set;
mod version;

pub use crate::target::set::TargetSet;
pub use crate::target::version::Version;

use std::fmt;

/// What the letter after the number of a target promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suffix {
    /// `sm_90`: code runs on this and on every newer GPU.
    None,
    /// `sm_100f`: code runs on this GPU and on the newer ones of its family.
    Family,
    /// `sm_90a`: code runs on this GPU alone.
    Architecture,
}

/// A target. An index into the table of targets, oldest number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target(u8);

struct TargetEntry {
    name: &'static str,
    number: u16,
    suffix: Suffix,
    since: Version,
}

const fn plain(name: &'static str, number: u16, major: u16, minor: u16) -> TargetEntry {
    TargetEntry { name, number, suffix: Suffix::None, since: Version::new(major, minor) }
}

const fn family(name: &'static str, number: u16, major: u16, minor: u16) -> TargetEntry {
    TargetEntry { name, number, suffix: Suffix::Family, since: Version::new(major, minor) }
}

const fn arch(name: &'static str, number: u16, major: u16, minor: u16) -> TargetEntry {
    TargetEntry { name, number, suffix: Suffix::Architecture, since: Version::new(major, minor) }
}

/// Name, number, and first version.
const TARGETS: [TargetEntry; 47] = [
    plain("sm_10", 10, 1, 0),
    plain("sm_11", 11, 1, 0),
    plain("sm_12", 12, 1, 2),
    plain("sm_13", 13, 1, 2),
    plain("sm_20", 20, 2, 0),
    plain("sm_21", 21, 2, 0),
    plain("sm_30", 30, 3, 0),
    plain("sm_32", 32, 4, 0),
    plain("sm_35", 35, 3, 1),
    plain("sm_37", 37, 4, 1),
    plain("sm_50", 50, 4, 0),
    plain("sm_52", 52, 4, 1),
    plain("sm_53", 53, 4, 2),
    plain("sm_60", 60, 5, 0),
    plain("sm_61", 61, 5, 0),
    plain("sm_62", 62, 5, 0),
    plain("sm_70", 70, 6, 0),
    plain("sm_72", 72, 6, 1),
    plain("sm_75", 75, 6, 3),
    plain("sm_80", 80, 7, 0),
    plain("sm_86", 86, 7, 1),
    plain("sm_87", 87, 7, 4),
    plain("sm_88", 88, 9, 0),
    plain("sm_89", 89, 7, 8),
    plain("sm_90", 90, 7, 8),
    arch("sm_90a", 90, 8, 0),
    plain("sm_100", 100, 8, 6),
    family("sm_100f", 100, 8, 8),
    arch("sm_100a", 100, 8, 6),
    plain("sm_101", 101, 8, 6),
    family("sm_101f", 101, 8, 8),
    arch("sm_101a", 101, 8, 6),
    plain("sm_103", 103, 8, 8),
    family("sm_103f", 103, 8, 8),
    arch("sm_103a", 103, 8, 8),
    plain("sm_107", 107, 9, 4),
    family("sm_107f", 107, 9, 4),
    arch("sm_107a", 107, 9, 4),
    plain("sm_110", 110, 9, 0),
    family("sm_110f", 110, 9, 0),
    arch("sm_110a", 110, 9, 0),
    plain("sm_120", 120, 8, 7),
    family("sm_120f", 120, 8, 8),
    arch("sm_120a", 120, 8, 7),
    plain("sm_121", 121, 8, 8),
    family("sm_121f", 121, 8, 8),
    arch("sm_121a", 121, 8, 8),
];

/// Products with the newest target whose code they run.
const GPUS: [(&str, &[&str]); 11] = [
    ("sm_70", &["v100"]),
    ("sm_75", &["t4", "rtx2080"]),
    ("sm_80", &["a100", "a30"]),
    ("sm_86", &["a10", "a40", "rtx3090"]),
    ("sm_87", &["orin"]),
    ("sm_89", &["l4", "l40", "l40s", "rtx4090"]),
    ("sm_90a", &["h100", "h200", "gh200"]),
    ("sm_100a", &["b200", "gb200"]),
    ("sm_103a", &["b300", "gb300"]),
    ("sm_120a", &["rtx5090"]),
    ("sm_121a", &["gb10"]),
];

/// A target that the assembler also accepts in this version, before its own, with all its features.
const PREVIEW: (&str, Version) = ("sm_70", Version::new(5, 1));

/// The first target whose CTAs have 99 KB of shared memory instead of 227 KB.
const CONSUMER_BLACKWELL: u16 = 120;

/// The most bytes of all variables of a module in constant memory.
pub const MAX_CONSTANT: u64 = 64 << 10;

impl Target {
    /// The target with the lowest number.
    pub const OLDEST: Target = Target(0);

    /// The target with the highest number; of its three, the one with the most features.
    pub const NEWEST: Target = Target(TARGETS.len() as u8 - 1);

    /// All targets, by number; of one number the plain one first, then family, then architecture.
    pub fn all() -> impl DoubleEndedIterator<Item = Target> {
        (0..TARGETS.len() as u8).map(Target)
    }

    /// The target of a name such as `sm_90a`; `None` if no PTX version has it.
    ///
    /// As lenient as the assembler: `compute_` does for `sm_`, leading zeros do not count, and of what follows the
    /// number only the last character does, if it is `a` or `f`.
    pub fn parse(name: &str) -> Option<Target> {
        let rest = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_"))?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: u16 = rest[..end].parse().ok()?;
        let suffix = match rest[end..].chars().last() {
            Some('a') => Suffix::Architecture,
            Some('f') => Suffix::Family,
            _ => Suffix::None,
        };
        Target::all().find(|target| target.number() == number && target.suffix() == suffix)
    }

    /// The target of a GPU by the name of a product, such as `a100` or `rtx5090`, or by its own name.
    pub fn of_gpu(name: &str) -> Option<Target> {
        let name = name.to_ascii_lowercase();
        let product = GPUS.iter().find(|(_, products)| products.contains(&&*name));
        Self::parse(product.map_or(&*name, |(target, _)| target))
    }

    fn entry(self) -> &'static TargetEntry {
        &TARGETS[usize::from(self.0)]
    }

    /// The name, as written after `.target`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The number in the name: ten times the major plus the minor compute capability.
    pub fn number(self) -> u16 {
        self.entry().number
    }

    /// What the letter after the number promises.
    pub fn suffix(self) -> Suffix {
        self.entry().suffix
    }

    /// The first PTX version that has the target.
    pub fn since(self) -> Version {
        self.entry().since
    }

    /// The most bytes of static shared memory of a kernel. Measured with `ptxas` 13.5, which checks it when it generates code
    /// (`tests/evidence/directives/memory_limits.txt`): 48 KB, but for one architecture alone all that a CTA can have.
    pub fn max_static_shared(self) -> u64 {
        match self.suffix() {
            Suffix::Architecture if self.number() >= CONSUMER_BLACKWELL => 99 << 10,
            Suffix::Architecture => 227 << 10,
            Suffix::None | Suffix::Family => 48 << 10,
        }
    }

    /// Whether the assembler accepts the target in a module of this version: from its first version on, and sm_70
    /// one version earlier.
    pub fn known_by(self, version: Version) -> bool {
        version >= self.since() || (self.name() == PREVIEW.0 && version == PREVIEW.1)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The version and target of a module. `None` if unknown; an unknown one satisfies every requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Module {
    /// Its `.version`.
    pub version: Option<Version>,
    /// Its `.target`.
    pub target: Option<Target>,
}

impl Module {
    /// The version whose features the module has: its own but for the one that has a target early.
    pub fn effective_version(&self) -> Option<Version> {
        match (self.version, self.target) {
            (Some(version), Some(target)) if version == PREVIEW.1 && target.name() == PREVIEW.0 => Some(target.since()),
            (version, _) => version,
        }
    }
}
