//! What is known of an address or another integer: what it starts from, and how far from there it may be.

use super::{Definition, DefinitionSite};

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// A variable, by its number in the flow.
    Variable(usize),
    /// The value of a parameter of this function, and the byte of the parameter that it is read from.
    Parameter(usize, i64),
    /// Zero: it is a number.
    Zero,
    /// A value of a register that nothing more is known of.
    Value(Definition),
}

/// Memory that an address can point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointedSpace {
    Global,
    Shared,
    Local,
    Const,
    Param,
}

/// An address as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownAddress {
    pub root: Root,
    /// Bytes from there, and any multiple of `stride` more.
    pub base: i64,
    /// 0 where the distance is known, 1 where nothing is known of it.
    pub stride: u64,
    /// Whether the value is a generic address: `None` where that is not known.
    pub generic: Option<bool>,
    /// The memory that it points to, `.global` or `.shared` and so on, where that is known.
    pub space: Option<PointedSpace>,
    /// The closest value on the way to the root from which the distance is known, and that distance: equal ones are the same address.
    pub anchor: (Root, i64),
}

impl PointedSpace {
    /// The space of a directive or a modifier, a dot before it or not, `::cta` or `::cluster` behind it or not.
    pub(crate) fn parse(word: &str) -> Option<PointedSpace> {
        Some(match word.trim_start_matches('.').split("::").next()? {
            "global" => PointedSpace::Global,
            "shared" => PointedSpace::Shared,
            "local" => PointedSpace::Local,
            "const" => PointedSpace::Const,
            "param" => PointedSpace::Param,
            _ => return None,
        })
    }

    /// As it is written.
    pub(crate) fn word(self) -> &'static str {
        match self {
            PointedSpace::Global => ".global",
            PointedSpace::Shared => ".shared",
            PointedSpace::Local => ".local",
            PointedSpace::Const => ".const",
            PointedSpace::Param => ".param",
        }
    }
}

impl KnownAddress {
    /// At a root, or a known number of bytes from it.
    pub(super) fn at(root: Root, base: i64) -> Self {
        KnownAddress { root, base, stride: 0, generic: None, space: None, anchor: (root, base) }
    }

    /// A value of which nothing else is known.
    pub(super) fn opaque(definition: Definition) -> Self {
        KnownAddress::at(Root::Value(definition), 0)
    }

    /// Any multiple of a number.
    pub(super) fn multiple(stride: u64, definition: Definition) -> Self {
        KnownAddress { stride, anchor: (Root::Value(definition), 0), ..KnownAddress::at(Root::Zero, 0) }
    }

    /// Bytes from the root, where they are known.
    pub(crate) fn offset(&self) -> Option<i64> {
        (self.stride == 0).then_some(self.base)
    }

    /// Whether it is surely the address of another one.
    pub(crate) fn same(&self, other: &KnownAddress) -> bool {
        self.anchor == other.anchor
            && !matches!(self.anchor.0, Root::Value(Definition { site: DefinitionSite::Unknown(_), .. }))
    }

    /// Whether it is known to be memory that something was declared as, or a pointer.
    pub(super) fn points(&self) -> bool {
        matches!(self.root, Root::Variable(_) | Root::Parameter(..)) || self.space.is_some()
    }

    /// With a number added, which makes a value.
    pub(super) fn plus(self, number: &KnownAddress, made: Definition) -> Self {
        let sum = self.base.checked_add(number.base);
        let anchor = self.anchor.1.checked_add(number.base).filter(|_| number.stride == 0);
        KnownAddress {
            base: sum.unwrap_or(0),
            stride: if sum.is_some() { gcd(self.stride, number.stride) } else { 1 },
            anchor: anchor.map_or((Root::Value(made), 0), |distance| (self.anchor.0, distance)),
            ..self
        }
    }

    /// The number that a number is multiplied with another, which makes a value.
    pub(super) fn times(&self, other: &KnownAddress, made: Definition) -> KnownAddress {
        match (self.factor(), other.factor()) {
            (Some(a), Some(b)) => a
                .checked_mul(b)
                .map_or_else(|| KnownAddress::multiple(1, made), |product| KnownAddress::at(Root::Zero, product)),
            (None, None) => KnownAddress::multiple(1, made),
            (Some(0), None) | (None, Some(0)) => KnownAddress::at(Root::Zero, 0),
            (Some(factor), None) => other.multiplied(factor, made),
            (None, Some(factor)) => self.multiplied(factor, made),
        }
    }

    fn multiplied(&self, factor: i64, made: Definition) -> KnownAddress {
        let (base, stride) = match self.root {
            Root::Zero => (self.base.checked_mul(factor), self.stride.checked_mul(factor.unsigned_abs())),
            _ => (Some(0), Some(factor.unsigned_abs())),
        };
        let unknown = KnownAddress::multiple(1, made);
        base.zip(stride).map_or(unknown, |(base, stride)| KnownAddress { base, ..KnownAddress::multiple(stride, made) })
    }

    /// As 32 bits hold it: what is added may be negative and written without a sign.
    pub(super) fn narrowed(self) -> Self {
        let number = self.root == Root::Zero && (0..=i64::from(u32::MAX)).contains(&self.base);
        let narrow = |distance: i64| if number { distance } else { i64::from(distance as i32) };
        KnownAddress { base: narrow(self.base), anchor: (self.anchor.0, narrow(self.anchor.1)), ..self }
    }

    /// The number that it is.
    pub(super) fn factor(&self) -> Option<i64> {
        self.offset().filter(|_| self.root == Root::Zero)
    }

    /// What several values have in common that come together in one.
    pub(super) fn join(made: Definition, places: &[KnownAddress]) -> KnownAddress {
        let own = Root::Value(made);
        let opaque = KnownAddress::opaque(made);
        let Some(first) = places.iter().find(|place| place.root != own) else { return opaque };
        let mut joined = *first;
        let mut common = true;
        for place in places {
            if place.root == own {
                // What goes round in a loop stays what it was, some steps further.
                joined.stride = gcd(gcd(joined.stride, place.stride), place.base.unsigned_abs());
                joined.generic = joined.generic.filter(|generic| place.generic.is_none_or(|own| own == *generic));
                joined.space = joined.space.filter(|space| place.space.is_none_or(|own| own == *space));
            } else {
                common &= place.root == first.root;
                let apart = place.base.abs_diff(first.base);
                joined.stride = gcd(gcd(joined.stride, place.stride), apart);
                joined.generic = joined.generic.filter(|generic| place.generic == Some(*generic));
                joined.space = joined.space.filter(|space| place.space == Some(*space));
            }
        }
        let stays = |place: &KnownAddress| match place.root == own {
            true => place.offset() == Some(0),
            false => place.anchor == first.anchor,
        };
        if !common {
            return KnownAddress { generic: joined.generic, space: joined.space, ..opaque };
        }
        if !places.iter().all(stays) {
            joined.anchor = opaque.anchor;
        }
        joined
    }
}

/// The greatest number that divides both; everything divides 0.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
