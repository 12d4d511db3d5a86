//! The names of memory as the author of a source knows it: `tile[3][17]`, by the variables of the module and the types that the source gives them.

use crate::arguments::argument_values::shape_of;
use crate::{Kernel, NamedVariable};
use program::MemorySpace;
use syntax::readable;
use values::{Element, Shape};

/// A variable in shared, global or constant memory as its source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceVariable {
    /// Its name, without namespaces.
    pub name: String,
    /// The numbers that its elements consist of; `None` if they are not known.
    pub number: Option<Shape>,
    /// How many an element has: 4 of `float4`.
    pub lanes: u32,
    /// The lengths of an array, the outermost first; `None` for one that is not known.
    pub lengths: Vec<Option<u64>>,
}

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedMemory {
    /// Its name: `tile[3][17]`.
    pub name: String,
    /// The numbers there, if they are known.
    pub number: Option<Shape>,
}

/// How a variable is divided into elements.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ElementLayout {
    number: Option<Shape>,
    lanes: u32,
    /// The bytes of an element.
    bytes: u64,
    /// The lengths of an array, the outermost first. That one is not checked.
    lengths: Vec<u64>,
}

impl Kernel {
    /// The bytes at an address of shared memory.
    pub(super) fn shared_memory_at(&self, address: u64, size: u64) -> Option<NamedMemory> {
        let all = self.names.iter().flat_map(|names| &names.variables).chain(&self.variables);
        let has = |one: &&NamedVariable| {
            let is_shared = matches!(one.space, MemorySpace::SharedCta | MemorySpace::SharedCluster);
            is_shared && one.address <= address && (one.size == 0 || address < one.address + u64::from(one.size))
        };
        // Dynamic shared memory has no size, and is behind all others. Kernels that run at the same time have variables of their own there.
        let found = all.filter(has).filter(|_| self.beside.is_empty()).max_by_key(|one| one.address)?;
        Some(self.part_of(found, address - found.address, size))
    }

    /// Bytes of a variable, from an offset on.
    pub(super) fn part_of(&self, variable: &NamedVariable, offset: u64, size: u64) -> NamedMemory {
        let readable = readable(&variable.name);
        let name = readable.rsplit("::").next().unwrap_or(&readable);
        let known = self.source_variables.iter().filter(|one| one.name == name);
        let mut layouts = known.filter_map(|one| ElementLayout::of(one, variable.size.into()));
        let first = layouts.next();
        let layout = first.filter(|first| layouts.all(|other| other == *first));
        match layout.or_else(|| ElementLayout::declared(variable)) {
            Some(layout) => layout.part(name, offset, size),
            None if offset == 0 && size == u64::from(variable.size) => {
                NamedMemory { name: name.to_owned(), number: None }
            }
            None => NamedMemory { name: format!("{name} + {offset} bytes"), number: None },
        }
    }
}

impl ElementLayout {
    /// The layout of a variable of a size by its source; `None` if it is not certain.
    fn of(variable: &SourceVariable, size: u64) -> Option<Self> {
        let SourceVariable { number, lanes, lengths, .. } = variable;
        let known = lengths.iter().flatten().try_fold(1_u64, |product, length| product.checked_mul(*length))?;
        let unknown = lengths.iter().filter(|length| length.is_none()).count();
        let bytes = match number {
            Some(number) => u64::from(number.bytes() * lanes),
            None if unknown == 0 && known > 0 && size > 0 => size / known,
            None => return None,
        };
        let rest = bytes.checked_mul(known).filter(|rest| *rest > 0)?;
        let is_outermost = lengths.first().is_some_and(Option::is_none);
        let missing = match unknown {
            0 if rest == size => 1,
            // Dynamic shared memory.
            1 if size == 0 && is_outermost => u64::MAX,
            1 if size.is_multiple_of(rest) => size / rest,
            _ => return None,
        };
        let lengths = lengths.iter().map(|length| length.unwrap_or(missing)).collect();
        Some(Self { number: *number, lanes: *lanes, bytes, lengths })
    }

    /// The layout that the module declares. Compilers declare arrays and structures as bytes.
    fn declared(variable: &NamedVariable) -> Option<Self> {
        let number = shape_of(&variable.ty)?;
        let bytes = u64::from(number.bytes());
        let size = u64::from(variable.size);
        match size / bytes {
            1 => Some(Self { number: Some(number), lanes: 1, bytes, lengths: Vec::new() }),
            _ if bytes == 1 => None,
            length => Some(Self { number: Some(number), lanes: 1, bytes, lengths: vec![length] }),
        }
    }

    fn part(&self, name: &str, offset: u64, size: u64) -> NamedMemory {
        let (element, mut rest) = (offset / self.bytes, offset % self.bytes);
        let mut inner: u64 = self.lengths.iter().skip(1).product();
        let mut element = element;
        let mut text = name.to_owned();
        for at in 0..self.lengths.len() {
            text.push_str(&format!("[{}]", element / inner));
            element %= inner;
            inner /= self.lengths.get(at + 1).copied().unwrap_or(1);
        }
        let width = self.number.map_or(self.bytes, |number| number.bytes().into());
        if self.lanes > 1 && size == width && rest.is_multiple_of(width) {
            text.push_str([".x", ".y", ".z", ".w"][(rest / width) as usize % 4]);
            rest = 0;
        }
        if rest > 0 {
            text.push_str(&format!(" + {rest} bytes"));
        }
        let is_whole = rest == 0 && size.is_multiple_of(width);
        NamedMemory { name: text, number: self.number.filter(|_| is_whole) }
    }
}

impl SourceVariable {
    /// A variable of numbers of a type of PTX, or of vectors of them.
    pub fn new(name: String, number: Option<&str>, lanes: u32, lengths: Vec<Option<u64>>) -> Self {
        Self { name, number: number.and_then(shape_of), lanes, lengths }
    }
}

/// The shape of values whose type is not known.
pub(super) fn untyped(bytes: usize) -> Shape {
    /// The largest access whose bytes are one value.
    const MAX_VALUE_BYTES: usize = 16;
    Shape::of(Element::Unsigned(8 * bytes.clamp(1, MAX_VALUE_BYTES) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: Option<&str>, lanes: u32, lengths: &[Option<u64>], size: u64, offset: u64, bytes: u64) -> String {
        let variable = SourceVariable::new("v".to_owned(), number, lanes, lengths.to_vec());
        ElementLayout::of(&variable, size).map_or("?".to_owned(), |layout| layout.part("v", offset, bytes).name)
    }

    #[test]
    fn bytes_have_the_names_of_elements() {
        assert_eq!(part(Some("f32"), 1, &[Some(2), Some(128)], 1024, 4 * 145, 4), "v[1][17]");
        assert_eq!(part(Some("f32"), 1, &[None], 520, 8, 4), "v[2]");
        assert_eq!(part(Some("f32"), 4, &[Some(8)], 128, 40, 4), "v[2].z");
        assert_eq!(part(Some("f32"), 4, &[Some(8)], 128, 32, 16), "v[2]");
        assert_eq!(part(Some("u64"), 1, &[], 8, 0, 8), "v");
        assert_eq!(part(Some("u64"), 1, &[], 8, 4, 4), "v + 4 bytes");
        assert_eq!(part(None, 1, &[Some(4)], 48, 28, 4), "v[2] + 4 bytes");
        assert_eq!(part(Some("f32"), 1, &[None], 0, 4096, 4), "v[1024]");
        // The source has another configuration.
        assert_eq!(part(Some("f32"), 1, &[Some(64)], 1024, 8, 4), "?");
        assert_eq!(part(None, 1, &[None], 1024, 8, 4), "?");
    }
}
