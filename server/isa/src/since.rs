//! What an instruction asks of a module: a PTX version, and targets.

use crate::target::{Module, Target, TargetSet, Version};
use std::cmp::Reverse;
use std::fmt;

/// What a form, a word or a whole instruction asks of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// The first PTX version that has it.
    pub version: Version,
    /// The targets that have it.
    pub targets: TargetSet,
    /// Where it is gone again.
    pub until: Option<Until>,
    /// Where an earlier version has it.
    pub earlier: Option<Earlier>,
}

/// Targets on which an earlier version than on the others has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The first PTX version that has it there.
    pub version: Version,
    /// Those targets.
    pub targets: TargetSet,
}

/// From which version on which targets no longer have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    /// The first PTX version without it.
    pub version: Version,
    /// The targets that lose it then.
    pub targets: TargetSet,
}

impl Since {
    /// No requirement.
    pub const ALWAYS: Since =
        Since { version: Version::new(1, 0), targets: TargetSet::ALL, until: None, earlier: None };

    /// Reads `PTX 8.6 sm_100f sm_120a`: a version, and targets, one of which is required, or one that includes it. After `until`: the version
    /// and the targets that removed it. After `or`: an earlier version for some of the targets.
    ///
    /// # Errors
    /// A word that is neither a version nor a target.
    pub(crate) fn read(text: &str) -> Result<Since, String> {
        if let Some((from, to)) = text.split_once(" until ") {
            let Since { version, targets, .. } = Since::read(to)?;
            return Ok(Since { until: Some(Until { version, targets }), ..Since::read(from)? });
        }
        if let Some((last, first)) = text.split_once(" or ") {
            let Since { version, targets, .. } = Since::read(first)?;
            return Ok(Since { earlier: Some(Earlier { version, targets }), ..Since::read(last)? });
        }
        let mut since = Since::ALWAYS;
        let mut targets = TargetSet::NONE;
        for part in text.split_whitespace().filter(|part| *part != "PTX") {
            match (Version::parse(part), Target::parse(part)) {
                (Some(version), _) => since.version = version,
                (None, Some(target)) => targets = targets.or(TargetSet::including(target)),
                _ => return Err(format!("invalid version or target `{part}`")),
            }
        }
        if targets != TargetSet::NONE {
            since.targets = targets;
        }
        Ok(since)
    }

    /// Reads a name and what it requires: `%smid PTX 1.3`.
    ///
    /// # Errors
    /// A missing version, or what [`Since::read`] rejects.
    pub(crate) fn read_named(text: &str) -> Result<(&str, Since), String> {
        let (name, since) = text.split_once(" PTX ").ok_or("missing ` PTX ` and version")?;
        Ok((name.trim(), Since::read(since)?))
    }

    /// The order from the smallest requirement on: the oldest version first, of one version what most targets support.
    pub(crate) fn order(&self) -> (Version, Reverse<usize>) {
        (self.version, Reverse(self.targets.iter().count()))
    }

    /// Both demands at once.
    pub fn and(self, other: Since) -> Since {
        Since {
            version: self.version.max(other.version),
            targets: self.targets.and(other.targets),
            until: self.until.or(other.until),
            earlier: self.earlier_with(other).or(other.earlier_with(self)),
        }
    }

    /// What is earlier here, with another demand. Of two demands that both have such targets, one decides: no instruction has two.
    fn earlier_with(self, other: Since) -> Option<Earlier> {
        let earlier = self.earlier?;
        Some(Earlier { version: earlier.version.max(other.version), targets: earlier.targets.and(other.targets) })
    }

    /// The requirement on a target; without one, on the target with the earliest version.
    pub(crate) fn on(self, target: Option<Target>) -> Since {
        match self.earlier {
            Some(earlier) if target.is_none_or(|target| earlier.targets.contains(target)) => {
                Since { version: earlier.version, earlier: None, ..self }
            }
            _ => Since { earlier: None, ..self },
        }
    }
}

impl Module {
    /// Whether the module satisfies a requirement. An unknown target or version satisfies every requirement.
    pub fn supports(&self, since: &Since) -> bool {
        self.effective_version().is_none_or(|version| version >= since.on(self.target).version)
            && self.target.is_none_or(|target| since.targets.contains(target))
            && !self.is_past(since)
    }

    /// Whether the module's version and target no longer support it.
    pub(crate) fn is_past(&self, since: &Since) -> bool {
        since.until.is_some_and(|until| {
            self.effective_version().is_some_and(|version| version >= until.version)
                && self.target.map_or(until.targets == TargetSet::ALL, |target| until.targets.contains(target))
        })
    }
}

/// `PTX 7.8, sm_90 or newer`, `PTX 1.2, sm_13 or newer, removed in PTX 1.4`.
pub(crate) fn requirement(since: &Since) -> String {
    let until = since.until.map_or(String::new(), |until| {
        // Where no target that had it keeps it, naming targets again would say less, or something odd: "sm_13 or newer, removed on sm_10 or newer".
        let is_everywhere = since.targets.and(until.targets) == since.targets;
        let lost = if is_everywhere { String::new() } else { format!(" on {}", or_newer(until.targets)) };
        format!(", removed{lost} in PTX {}", until.version)
    });
    if since.targets == TargetSet::ALL {
        return format!("PTX {}{until}", since.version);
    }
    let earlier = since
        .earlier
        .map_or(String::new(), |earlier| format!(" (on {} PTX {})", or_newer(earlier.targets), earlier.version));
    format!("PTX {}, {}{earlier}{until}", since.version, or_newer(since.targets))
}

/// Targets for messages: `sm_90 or newer`.
pub fn or_newer(targets: TargetSet) -> String {
    let first = targets.iter().next();
    let newer = first.is_some_and(|first| targets == TargetSet::from_number(first.number()));
    format!("{targets}{}", if newer { " or newer" } else { "" })
}

/// For people: `PTX 7.8 and sm_90`.
impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.targets == TargetSet::ALL {
            return write!(f, "PTX {}", self.version);
        }
        write!(f, "PTX {} and {}", self.version, self.targets)
    }
}
