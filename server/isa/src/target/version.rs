//! PTX versions, and the CUDA toolkits that have them.

use std::fmt;

/// A PTX version. Ordered as in the assembler: by major, then minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The part before the point.
    pub major: u16,
    /// The part after the point.
    pub minor: u16,
}

/// The newest minor version of each major version, from 1 on. All versions in between exist except 8.9.
const NEWEST: [u16; 9] = [5, 3, 2, 3, 1, 5, 8, 8, 5];

/// The PTX versions of the CUDA toolkits for which [`Version::of_toolkit`] has no rule.
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
    /// The newest PTX version that the assembler of a CUDA toolkit supports; `None` if there is no such toolkit, or it is older than 4.0.
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

    /// The first CUDA toolkit whose assembler knows the version; `None` if it is older than 4.0.
    pub fn toolkit(self) -> Option<String> {
        let oldest = TOOLKITS[0].1;
        let mut names = (4..=13).flat_map(|major| (0..=9).map(move |minor| format!("{major}.{minor}")));
        names.find(|name| Version::of_toolkit(name) >= Some(self)).filter(|_| self >= oldest)
    }

    /// Shorthand for rows and tests.
    pub const fn new(major: u16, minor: u16) -> Version {
        Version { major, minor }
    }

    /// Reads two numbers with a point, such as `8.1`. [`Version::is_known`] checks whether the version exists.
    pub fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        Some(Version { major: digits(major)?, minor: digits(minor)? })
    }

    /// Whether an assembler of PTX 9.5 accepts this version.
    ///
    /// It compares ten times the major plus the minor version, so it accepts `8.10` as 9.0. So does this function.
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
