//! What is known of an address or another integer: what it starts from, and how far from there it may be.

use super::{Definition, Site};

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
pub(crate) enum Space {
    Global,
    Shared,
    Local,
    Const,
    Param,
}

/// An address as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub root: Root,
    /// Bytes from there, and any multiple of `stride` more.
    pub base: i64,
    /// 0 where the distance is known, 1 where nothing is known of it.
    pub stride: u64,
    /// Whether the value is a generic address: `None` where that is not known.
    pub generic: Option<bool>,
    /// The memory that it points to, `.global` or `.shared` and so on, where that is known.
    pub space: Option<Space>,
    /// The closest value on the way to the root from which the distance is known, and that distance: equal ones are the same address.
    pub anchor: (Root, i64),
}

impl Space {
    /// The space of a directive or a modifier, a dot before it or not, `::cta` or `::cluster` behind it or not.
    pub(crate) fn parse(word: &str) -> Option<Space> {
        Some(match word.trim_start_matches('.').split("::").next()? {
            "global" => Space::Global,
            "shared" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" => Space::Param,
            _ => return None,
        })
    }

    /// As it is written.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Space::Global => ".global",
            Space::Shared => ".shared",
            Space::Local => ".local",
            Space::Const => ".const",
            Space::Param => ".param",
        }
    }
}

impl Place {
    /// At a root, or a known number of bytes from it.
    pub(super) fn at(root: Root, base: i64) -> Self {
        Place { root, base, stride: 0, generic: None, space: None, anchor: (root, base) }
    }

    /// A value of which nothing else is known.
    pub(super) fn opaque(definition: Definition) -> Self {
        Place::at(Root::Value(definition), 0)
    }

    /// Any multiple of a number.
    pub(super) fn multiple(stride: u64, definition: Definition) -> Self {
        Place { stride, anchor: (Root::Value(definition), 0), ..Place::at(Root::Zero, 0) }
    }

    /// Bytes from the root, where they are known.
    pub(crate) fn offset(&self) -> Option<i64> {
        (self.stride == 0).then_some(self.base)
    }

    /// Whether it is surely the address of another one.
    pub(crate) fn same(&self, other: &Place) -> bool {
        self.anchor == other.anchor && !matches!(self.anchor.0, Root::Value(Definition { site: Site::Unknown(_), .. }))
    }

    /// Whether it is known to be memory that something was declared as, or a pointer.
    pub(super) fn points(&self) -> bool {
        matches!(self.root, Root::Variable(_) | Root::Parameter(..)) || self.space.is_some()
    }

    /// With a number added, which makes a value.
    pub(super) fn plus(self, number: &Place, made: Definition) -> Self {
        let sum = self.base.checked_add(number.base);
        let anchor = self.anchor.1.checked_add(number.base).filter(|_| number.stride == 0);
        Place {
            base: sum.unwrap_or(0),
            stride: if sum.is_some() { gcd(self.stride, number.stride) } else { 1 },
            anchor: anchor.map_or((Root::Value(made), 0), |distance| (self.anchor.0, distance)),
            ..self
        }
    }

    /// The number that a number is multiplied with another, which makes a value.
    pub(super) fn times(&self, other: &Place, made: Definition) -> Place {
        match (self.factor(), other.factor()) {
            (Some(a), Some(b)) => {
                a.checked_mul(b).map_or_else(|| Place::multiple(1, made), |product| Place::at(Root::Zero, product))
            }
            (None, None) => Place::multiple(1, made),
            (Some(0), None) | (None, Some(0)) => Place::at(Root::Zero, 0),
            (Some(factor), None) => other.multiplied(factor, made),
            (None, Some(factor)) => self.multiplied(factor, made),
        }
    }

    fn multiplied(&self, factor: i64, made: Definition) -> Place {
        let (base, stride) = match self.root {
            Root::Zero => (self.base.checked_mul(factor), self.stride.checked_mul(factor.unsigned_abs())),
            _ => (Some(0), Some(factor.unsigned_abs())),
        };
        let unknown = Place::multiple(1, made);
        base.zip(stride).map_or(unknown, |(base, stride)| Place { base, ..Place::multiple(stride, made) })
    }

    /// As 32 bits hold it: what is added may be negative and written without a sign.
    pub(super) fn narrowed(self) -> Self {
        let number = self.root == Root::Zero && (0..=i64::from(u32::MAX)).contains(&self.base);
        let narrow = |distance: i64| if number { distance } else { i64::from(distance as i32) };
        Place { base: narrow(self.base), anchor: (self.anchor.0, narrow(self.anchor.1)), ..self }
    }

    /// The number that it is.
    pub(super) fn factor(&self) -> Option<i64> {
        self.offset().filter(|_| self.root == Root::Zero)
    }

    /// What several values have in common that come together in one.
    pub(super) fn join(made: Definition, places: &[Place]) -> Place {
        let own = Root::Value(made);
        let opaque = Place::opaque(made);
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
        let stays = |place: &Place| match place.root == own {
            true => place.offset() == Some(0),
            false => place.anchor == first.anchor,
        };
        if !common {
            return Place { generic: joined.generic, space: joined.space, ..opaque };
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
