//! Every `.target` and `.version`: names, families, and which version first knows which target.
//!
//! Must not know instructions.

use std::fmt;

/// A PTX version as a module states it. Ordered as the assembler orders them: by major, then minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The part before the point.
    pub major: u16,
    /// The part after the point.
    pub minor: u16,
}

/// The newest minor version of each major version, from 1 on. No version in between is missing but 8.9.
const NEWEST: [u16; 9] = [5, 3, 2, 3, 1, 5, 8, 8, 5];

/// The CUDA toolkits that first came with a PTX version other than what a rule says; see [`Version::of_toolkit`].
const TOOLKITS: [((u16, u16), Version); 24] = [
    ((4, 0), Version::new(2, 3)),
    ((4, 1), Version::new(3, 0)),
    ((4, 2), Version::new(3, 0)),
    ((5, 0), Version::new(3, 1)),
    ((5, 5), Version::new(3, 2)),
    ((6, 0), Version::new(4, 0)),
    ((6, 5), Version::new(4, 1)),
    ((7, 0), Version::new(4, 2)),
    ((7, 5), Version::new(4, 3)),
    ((8, 0), Version::new(5, 0)),
    ((9, 0), Version::new(6, 0)),
    ((9, 1), Version::new(6, 1)),
    ((9, 2), Version::new(6, 2)),
    ((10, 0), Version::new(6, 3)),
    ((10, 1), Version::new(6, 4)),
    ((10, 2), Version::new(6, 5)),
    ((12, 0), Version::new(8, 0)),
    ((12, 1), Version::new(8, 1)),
    ((12, 2), Version::new(8, 2)),
    ((12, 3), Version::new(8, 3)),
    ((12, 4), Version::new(8, 4)),
    ((12, 5), Version::new(8, 5)),
    ((12, 6), Version::new(8, 5)),
    ((12, 7), Version::new(8, 6)),
];

impl Version {
    /// The newest PTX version that the assembler of a CUDA toolkit knows; `None` if there is no such toolkit, or it is older than 4.0.
    /// CUDA 11.x came with 7.x, 12.8 and 12.9 with 8.7 and 8.8, 13.x with 9.x; the others are a table. Three of them were measured: 11.8, 12.9 and 13.5.
    pub fn of_toolkit(name: &str) -> Option<Version> {
        let toolkit = Version::parse(name)?;
        let (major, minor) = (toolkit.major, toolkit.minor);
        let version = match (major, minor) {
            (11, 0..=8) => Version::new(7, minor),
            (12, 8..=9) => Version::new(8, minor - 1),
            (13, 0..=5) => Version::new(9, minor),
            _ => TOOLKITS.iter().find(|(known, _)| *known == (major, minor))?.1,
        };
        Some(version)
    }

    /// Shorthand for rows and tests.
    pub const fn new(major: u16, minor: u16) -> Version {
        Version { major, minor }
    }

    /// Reads `8.1`. `None` unless it is digits, a point and digits; whether such a version exists is
    /// [`Version::is_known`]'s to say.
    pub fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        Some(Version { major: digits(major)?, minor: digits(minor)? })
    }

    /// Whether an assembler of PTX 9.5 takes this version.
    ///
    /// It compares ten times the major plus the minor version, so that `8.10` passes for 9.0; we follow it.
    pub fn is_known(self) -> bool {
        let value = u32::from(self.major) * 10 + u32::from(self.minor);
        let (major, minor) = (value / 10, (value % 10) as u16);
        self.major > 0 && (1..=9).contains(&major) && minor <= NEWEST[major as usize - 1]
    }

    /// All versions from 1.0 to 9.5, oldest first.
    pub fn all() -> impl Iterator<Item = Version> {
        (1..).zip(NEWEST).flat_map(|(major, newest)| (0..=newest).map(move |minor| Version { major, minor }))
    }

    /// The newest version that these tables know.
    pub const NEWEST: Version = Version { major: 9, minor: 5 };
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

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

/// A `.target` that some PTX version knows. An index into the table of targets, oldest number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target(u8);

struct Entry {
    name: &'static str,
    number: u16,
    suffix: Suffix,
    since: Version,
}

const fn plain(name: &'static str, number: u16, major: u16, minor: u16) -> Entry {
    Entry { name, number, suffix: Suffix::None, since: Version::new(major, minor) }
}

const fn family(name: &'static str, number: u16, major: u16, minor: u16) -> Entry {
    Entry { name, number, suffix: Suffix::Family, since: Version::new(major, minor) }
}

const fn arch(name: &'static str, number: u16, major: u16, minor: u16) -> Entry {
    Entry { name, number, suffix: Suffix::Architecture, since: Version::new(major, minor) }
}

/// Name, number, and the version that first knows it.
const TARGETS: [Entry; 47] = [
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

/// A target that the assembler takes before its version, in this one, with all that came with it.
const PREVIEW: (&str, Version) = ("sm_70", Version::new(5, 1));

impl Target {
    /// All targets, by number; of one number the plain one first, then family, then architecture.
    pub fn all() -> impl DoubleEndedIterator<Item = Target> {
        (0..TARGETS.len() as u8).map(Target)
    }

    /// The target of a name such as `sm_90a`; `None` if no PTX version knows it.
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

    fn entry(self) -> &'static Entry {
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

    /// The first PTX version that knows the target.
    pub fn since(self) -> Version {
        self.entry().since
    }

    /// Whether the assembler takes the target in a module of this version: from the first that has it on, and sm_70
    /// one version early.
    pub fn known_by(self, version: Version) -> bool {
        version >= self.since() || (self.name() == PREVIEW.0 && version == PREVIEW.1)
    }

    /// The set of this target alone.
    pub const fn alone(self) -> TargetSet {
        TargetSet(1 << self.0)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of targets: what a form needs. Bit *n* stands for the target of index *n*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetSet(u64);

impl TargetSet {
    /// All targets.
    pub const ALL: TargetSet = TargetSet((1 << TARGETS.len()) - 1);

    /// No target.
    pub const NONE: TargetSet = TargetSet(0);

    /// The targets of at least this number, whatever their suffix: what "sm_90 or newer" means.
    pub fn from_number(number: u16) -> TargetSet {
        Target::all().filter(|t| t.number() >= number).fold(TargetSet::NONE, |set, t| set.or(t.alone()))
    }

    /// The targets that run code for this one: a plain target's successors, a family target's later relatives
    /// and architectures of it, an architecture alone.
    pub fn including(target: Target) -> TargetSet {
        match target.suffix() {
            Suffix::None => TargetSet::from_number(target.number()),
            Suffix::Architecture => target.alone(),
            Suffix::Family => Target::all()
                .filter(|t| t.suffix() != Suffix::None && family_of(*t) == family_of(target))
                .filter(|t| t.number() >= target.number())
                .fold(TargetSet::NONE, |set, t| set.or(t.alone())),
        }
    }

    /// In either set.
    pub const fn or(self, other: TargetSet) -> TargetSet {
        TargetSet(self.0 | other.0)
    }

    /// In both sets.
    pub const fn and(self, other: TargetSet) -> TargetSet {
        TargetSet(self.0 & other.0)
    }

    /// Whether the target is in the set.
    pub const fn contains(self, target: Target) -> bool {
        self.0 >> target.0 & 1 == 1
    }

    /// The targets in the set, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Target> {
        Target::all().filter(move |t| self.contains(*t))
    }

    /// The target to move a module to: the one of the same number if there is one (`sm_100` to `sm_100f`), else the
    /// nearest newer, else the newest; of one number rather one that the version knows. `None` for the empty set.
    pub fn nearest(self, from: Target, version: Option<Version>) -> Option<Target> {
        let unknown = |t: &Target| version.is_some_and(|version| !t.known_by(version));
        let distance = |t: &Target| (t.number() < from.number(), t.number().abs_diff(from.number()), unknown(t), t.0);
        self.iter().min_by_key(distance)
    }
}

/// For people: `sm_90` (meaning that or newer) or `one of sm_100f, sm_100a`.
impl fmt::Display for TargetSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.iter().next() else { return f.write_str("no target") };
        if *self == TargetSet::including(first) {
            return f.write_str(first.name());
        }
        let covers = |one: Target, other: Target| {
            let all = TargetSet::including(one);
            one != other && all.contains(other) && all.and(*self) == all
        };
        let names: Vec<_> = self.iter().filter(|t| !self.iter().any(|o| covers(o, *t))).map(Target::name).collect();
        write!(f, "one of {}", names.join(", "))
    }
}

/// The number of the first member of the family.
fn family_of(target: Target) -> u16 {
    match target.number() {
        100 | 103 | 107 => 100,
        101 | 110 => 101,
        120 | 121 => 120,
        other => other,
    }
}

/// What a module says of itself; `None` where it is not known, and then nothing is held against it.
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
