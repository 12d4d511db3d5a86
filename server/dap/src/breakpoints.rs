//! Breakpoints: on lines, on functions, on memory, and on kinds of problems.

use kernel::expression::Expression;
use machine::{ObservedAccess, ObservedMemory};
use program::{CodePlace, MachineAccessKind};
use serde_json::Value;
use std::path::PathBuf;

/// The condition on the number of hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitCondition {
    /// At this hit only.
    Equal(u64),
    /// From this hit on.
    AtLeast(u64),
    /// At each multiple.
    Multiple(u64),
}

/// What a breakpoint does with a hit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HitRules {
    /// The condition in the thread.
    pub condition: Option<Expression>,
    /// The condition on the number of hits.
    pub count: Option<HitCondition>,
    /// The text that is printed instead of a stop, with expressions in braces.
    pub log: Option<String>,
}

/// A breakpoint on instructions.
#[derive(Clone, Debug)]
pub struct CodeBreakpoint {
    /// Its number.
    pub id: u64,
    /// The file, or none for a function.
    pub path: Option<PathBuf>,
    /// The instructions.
    pub places: Vec<CodePlace>,
    /// When it stops.
    pub rules: HitRules,
    /// The hits so far.
    pub hits: u64,
    /// Whether the user was told that the condition has no value.
    pub is_reported: bool,
}

/// A breakpoint on memory.
#[derive(Clone, Debug)]
pub struct DataBreakpoint {
    /// Its number.
    pub id: u64,
    /// The first byte.
    pub memory: ObservedMemory,
    /// The number of bytes.
    pub size: u64,
    /// Whether reads count.
    pub reads: bool,
    /// Whether writes count.
    pub writes: bool,
    /// When it stops.
    pub rules: HitRules,
    /// The hits so far.
    pub hits: u64,
}

/// All breakpoints.
#[derive(Clone, Debug, Default)]
pub struct Breakpoints {
    /// On instructions.
    pub code: Vec<CodeBreakpoint>,
    /// On memory.
    pub data: Vec<DataBreakpoint>,
    /// The codes of problems that stop the run.
    pub problems: Vec<String>,
    /// The requests that set those on instructions: the file or none for functions, the arguments, and the numbers that were given.
    pub asked: Vec<(Option<PathBuf>, Value, Vec<u64>)>,
    last_id: u64,
}

impl HitCondition {
    /// Reads `5`, `== 5`, `>= 5`, `> 5` or `% 5`.
    ///
    /// # Errors
    /// A message, without a full stop.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let invalid = || format!("invalid hit condition `{text}`: expected `5`, `>= 5` or `% 5`");
        let split = text.find(|c: char| c.is_ascii_digit()).ok_or_else(invalid)?;
        let count: u64 = text[split..].trim().parse().map_err(|_| invalid())?;
        match text[..split].trim() {
            "" | "=" | "==" => Ok(Self::Equal(count)),
            ">=" => Ok(Self::AtLeast(count)),
            ">" => Ok(Self::AtLeast(count.saturating_add(1))),
            "%" if count > 0 => Ok(Self::Multiple(count)),
            _ => Err(invalid()),
        }
    }

    /// Whether it holds at a hit.
    pub const fn holds(self, hit: u64) -> bool {
        match self {
            Self::Equal(count) => hit == count,
            Self::AtLeast(count) => hit >= count,
            Self::Multiple(count) => hit.is_multiple_of(count),
        }
    }
}

impl HitRules {
    /// Whether a hit with a number counts.
    pub fn counts(&self, hit: u64) -> bool {
        self.count.is_none_or(|count| count.holds(hit))
    }
}

impl CodeBreakpoint {
    /// Whether another one stops at the same hits.
    fn is_same(&self, other: &Self) -> bool {
        (&self.places, &self.rules) == (&other.places, &other.rules)
    }
}

impl DataBreakpoint {
    /// Whether another one stops at the same hits.
    fn is_same(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.memory, one.size, one.reads, one.writes);
        key(self) == key(other) && self.rules == other.rules
    }

    /// Whether an access is one that it watches.
    pub fn watches(&self, access: &ObservedAccess) -> bool {
        let kind = match access.kind {
            MachineAccessKind::Read => self.reads,
            MachineAccessKind::Write => self.writes,
            MachineAccessKind::Atomic => self.reads || self.writes,
        };
        let (own, other) = match (self.memory, access.memory) {
            (ObservedMemory::Global(own), ObservedMemory::Global(other)) => (own, other),
            (ObservedMemory::Shared { cta: a, offset: own }, ObservedMemory::Shared { cta: b, offset: other })
                if a == b =>
            {
                (own, other)
            }
            (ObservedMemory::Local { thread: a, offset: own }, ObservedMemory::Local { thread: b, offset: other })
                if a == b =>
            {
                (own, other)
            }
            _ => return false,
        };
        kind && own < other.saturating_add(access.size) && other < own.saturating_add(self.size)
    }
}

impl Breakpoints {
    /// The next number.
    pub fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Replaces the breakpoints of a file, or those on functions; one that is the same as before keeps its hits.
    pub fn replace(&mut self, path: Option<&PathBuf>, mut new: Vec<CodeBreakpoint>) {
        let (old, others): (Vec<_>, Vec<_>) = self.code.drain(..).partition(|one| one.path.as_ref() == path);
        for one in &mut new {
            let same = old.iter().find(|old| old.is_same(one));
            one.hits = same.map_or(0, |same| same.hits);
        }
        self.code = others;
        self.code.append(&mut new);
    }

    /// Those that count their hits.
    pub fn counted(&self) -> Self {
        let code = self.code.iter().filter(|one| one.rules.count.is_some()).cloned().collect();
        let data = self.data.iter().filter(|one| one.rules.count.is_some()).cloned().collect();
        Self { code, data, ..Self::default() }
    }

    /// Whether all that count their hits are among others.
    pub fn have_hits_in(&self, others: &Self) -> bool {
        let code =
            |one: &CodeBreakpoint| one.rules.count.is_none() || others.code.iter().any(|known| known.is_same(one));
        let data =
            |one: &DataBreakpoint| one.rules.count.is_none() || others.data.iter().any(|known| known.is_same(one));
        self.code.iter().all(code) && self.data.iter().all(data)
    }

    /// Takes over the hits of others that are the same.
    pub fn take_hits(&mut self, others: &Self) {
        for one in &mut self.code {
            one.hits = others.code.iter().find(|known| known.is_same(one)).map_or(one.hits, |known| known.hits);
        }
        for one in &mut self.data {
            one.hits = others.data.iter().find(|known| known.is_same(one)).map_or(one.hits, |known| known.hits);
        }
    }

    /// Forgets the hits, at the beginning of a run.
    pub fn forget_hits(&mut self) {
        self.code.iter_mut().for_each(|one| one.hits = 0);
        self.data.iter_mut().for_each(|one| one.hits = 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_conditions() {
        assert_eq!(HitCondition::parse("5"), Ok(HitCondition::Equal(5)));
        assert_eq!(HitCondition::parse(">= 3"), Ok(HitCondition::AtLeast(3)));
        assert_eq!(HitCondition::parse("> 3"), Ok(HitCondition::AtLeast(4)));
        assert_eq!(HitCondition::parse("%4"), Ok(HitCondition::Multiple(4)));
        assert_eq!(HitCondition::parse("> 18446744073709551615"), Ok(HitCondition::AtLeast(u64::MAX)));
        assert!(["", "x", "% 0", "< 3", "3x"].iter().all(|text| HitCondition::parse(text).is_err()));
        assert!(HitCondition::Multiple(4).holds(8) && !HitCondition::Multiple(4).holds(9));
    }
}
