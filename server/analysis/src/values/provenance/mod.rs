//! The provenance of an address or integer: the root that it is derived from, and the offset from it.

pub mod cache;
pub mod trace;

use crate::values::{Definition, DefinitionSite};

/// The value that an address is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// A variable, by its symbol index.
    Variable(usize),
    /// The value at a byte offset in a parameter of this function.
    Parameter(usize, i64),
    /// Zero: the value is a number.
    Zero,
    /// An opaque register value.
    Value(Definition),
}

/// A state space that an address can point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointedSpace {
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
    /// Local memory.
    Local,
    /// Constant memory.
    Const,
    /// Parameters.
    Param,
}

/// What is known of an address or integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// What it is an offset from.
    pub root: Root,
    /// The offset from the root in bytes, plus an unknown multiple of `stride`.
    pub base: i64,
    /// 0 if the offset is known, 1 if it is unknown.
    pub stride: u64,
    /// Whether the value is a generic address; `None` if unknown.
    pub generic: Option<bool>,
    /// The state space that it points to; `None` if unknown.
    pub space: Option<PointedSpace>,
    /// The nearest value with a known offset, and that offset. Equal anchors are the same address.
    pub anchor: (Root, i64),
}

impl PointedSpace {
    /// Parses a directive or modifier, with or without the dot, `::cta` or `::cluster`.
    pub fn parse(word: &str) -> Option<PointedSpace> {
        Some(match word.trim_start_matches('.').split("::").next()? {
            "global" => PointedSpace::Global,
            "shared" => PointedSpace::Shared,
            "local" => PointedSpace::Local,
            "const" => PointedSpace::Const,
            "param" => PointedSpace::Param,
            _ => return None,
        })
    }

    /// The directive.
    pub fn word(self) -> &'static str {
        match self {
            PointedSpace::Global => ".global",
            PointedSpace::Shared => ".shared",
            PointedSpace::Local => ".local",
            PointedSpace::Const => ".const",
            PointedSpace::Param => ".param",
        }
    }
}

impl Provenance {
    /// A known offset from a root.
    pub(in crate::values) fn at(root: Root, base: i64) -> Self {
        Provenance { root, base, stride: 0, generic: None, space: None, anchor: (root, base) }
    }

    /// An opaque value.
    pub(in crate::values) fn opaque(definition: Definition) -> Self {
        Provenance::at(Root::Value(definition), 0)
    }

    /// An unknown multiple of a number.
    pub(in crate::values) fn multiple(stride: u64, definition: Definition) -> Self {
        Provenance { stride, anchor: (Root::Value(definition), 0), ..Provenance::at(Root::Zero, 0) }
    }

    /// The offset from the root, if it is known.
    pub fn offset(&self) -> Option<i64> {
        (self.stride == 0).then_some(self.base)
    }

    /// Whether it is certainly the same address as another one.
    pub fn same(&self, other: &Provenance) -> bool {
        self.anchor == other.anchor
            && !matches!(self.anchor.0, Root::Value(Definition { site: DefinitionSite::Unknown(_), .. }))
    }

    /// Whether it is known to be a pointer.
    pub(in crate::values) fn points(&self) -> bool {
        matches!(self.root, Root::Variable(_) | Root::Parameter(..)) || self.space.is_some()
    }

    /// The sum with a number, as the definition `made`.
    pub(in crate::values) fn plus(self, number: &Provenance, made: Definition) -> Self {
        let sum = self.base.checked_add(number.base);
        let anchor = self.anchor.1.checked_add(number.base).filter(|_| number.stride == 0);
        Provenance {
            base: sum.unwrap_or(0),
            stride: if sum.is_some() { gcd(self.stride, number.stride) } else { 1 },
            anchor: anchor.map_or((Root::Value(made), 0), |distance| (self.anchor.0, distance)),
            ..self
        }
    }

    /// The address a known number of bytes further, as the definition `made`.
    pub fn moved(self, bytes: i64, made: Definition) -> Self {
        self.plus(&Provenance::at(Root::Zero, bytes), made)
    }

    /// The product with another number, as the definition `made`.
    pub(in crate::values) fn times(&self, other: &Provenance, made: Definition) -> Provenance {
        match (self.known_number(), other.known_number()) {
            (Some(a), Some(b)) => a
                .checked_mul(b)
                .map_or_else(|| Provenance::multiple(1, made), |product| Provenance::at(Root::Zero, product)),
            (None, None) => Provenance::multiple(1, made),
            (Some(0), None) | (None, Some(0)) => Provenance::at(Root::Zero, 0),
            (Some(factor), None) => other.multiplied(factor, made),
            (None, Some(factor)) => self.multiplied(factor, made),
        }
    }

    fn multiplied(&self, factor: i64, made: Definition) -> Provenance {
        let (base, stride) = match self.root {
            Root::Zero => (self.base.checked_mul(factor), self.stride.checked_mul(factor.unsigned_abs())),
            _ => (Some(0), Some(factor.unsigned_abs())),
        };
        let unknown = Provenance::multiple(1, made);
        base.zip(stride).map_or(unknown, |(base, stride)| Provenance { base, ..Provenance::multiple(stride, made) })
    }

    /// Truncated to 32 bits. A negative offset may be written as an unsigned number.
    pub(in crate::values) fn narrowed(self) -> Self {
        let number = self.root == Root::Zero && (0..=i64::from(u32::MAX)).contains(&self.base);
        let narrow = |distance: i64| if number { distance } else { i64::from(distance as i32) };
        Provenance { base: narrow(self.base), anchor: (self.anchor.0, narrow(self.anchor.1)), ..self }
    }

    /// How many bytes after another address of the same root it is, without the multiples of the strides. Addresses wrap at 64 bits.
    pub fn distance_from(&self, other: &Provenance) -> i64 {
        self.base.wrapping_sub(other.base)
    }

    /// The value of a known number.
    pub(in crate::values) fn known_number(&self) -> Option<i64> {
        self.offset().filter(|_| self.root == Root::Zero)
    }

    /// The common provenance of values that merge into the definition `made`.
    pub(in crate::values) fn join(made: Definition, provenances: &[Provenance]) -> Provenance {
        let own = Root::Value(made);
        let opaque = Provenance::opaque(made);
        let Some(first) = provenances.iter().find(|provenance| provenance.root != own) else { return opaque };
        let mut joined = *first;
        let mut common = true;
        for provenance in provenances {
            if provenance.root == own {
                // A loop-carried value keeps its root and advances by a stride.
                joined.stride = gcd(gcd(joined.stride, provenance.stride), provenance.base.unsigned_abs());
                joined.generic = joined.generic.filter(|generic| provenance.generic.is_none_or(|own| own == *generic));
                joined.space = joined.space.filter(|space| provenance.space.is_none_or(|own| own == *space));
            } else {
                common &= provenance.root == first.root;
                let apart = provenance.base.abs_diff(first.base);
                joined.stride = gcd(gcd(joined.stride, provenance.stride), apart);
                joined.generic = joined.generic.filter(|generic| provenance.generic == Some(*generic));
                joined.space = joined.space.filter(|space| provenance.space == Some(*space));
            }
        }
        let is_unchanged = |provenance: &Provenance| {
            if provenance.root == own { provenance.offset() == Some(0) } else { provenance.anchor == first.anchor }
        };
        if !common {
            return Provenance { generic: joined.generic, space: joined.space, ..opaque };
        }
        if !provenances.iter().all(is_unchanged) {
            joined.anchor = opaque.anchor;
        }
        joined
    }
}

/// The greatest common divisor; `gcd(a, 0)` is `a`.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
