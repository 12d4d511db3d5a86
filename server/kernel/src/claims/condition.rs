//! Conditions on what memory holds after a run: `out[0] + out[1] == 3`.

use crate::Kernel;
use crate::arguments::argument_values::values;
use crate::arguments::launch_memory::{KernelMemory, bytes_at};
use crate::expression::{Expression, Quantity, binary, unary};
use machine::GlobalMemory;
use std::fmt::Write;
use values::Shape;

/// Whether a condition has to hold, or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// It holds after every execution.
    Require,
    /// It holds after no execution.
    Forbid,
}

/// A condition on buffers and variables.
#[derive(Debug)]
pub struct MemoryCondition {
    kind: ConditionKind,
    /// As it is written.
    text: String,
    expression: Expression,
    /// What it names.
    places: Vec<NamedPlace>,
}

/// A buffer or variable of a condition.
#[derive(Debug)]
struct NamedPlace {
    name: String,
    shape: Shape,
    address: u64,
}

/// The most values that a message shows.
const MAX_SHOWN: usize = 8;

/// The values that a condition was decided by, each as it is written and as it is.
type ReadValues = Vec<(String, String)>;

impl MemoryCondition {
    /// Reads a condition.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn parse(kind: ConditionKind, text: &str, kernel: &Kernel, memory: &KernelMemory) -> Result<Self, String> {
        let text = text.trim();
        let expression = Expression::parse(text).map_err(|error| format!("condition `{text}`: {error}"))?;
        let mut condition = Self { kind, text: text.to_owned(), expression: expression.clone(), places: Vec::new() };
        condition.resolve(&expression, kernel, memory)?;
        Ok(condition)
    }

    /// Looks up the names of an expression.
    fn resolve(&mut self, expression: &Expression, kernel: &Kernel, memory: &KernelMemory) -> Result<(), String> {
        match expression {
            Expression::Integer(_) | Expression::Float(_) => Ok(()),
            Expression::Name(name) => {
                let length = self.place(name, kernel, memory)?;
                if length == 1 { Ok(()) } else { Err(format!("`{name}` has {length} elements: write `{name}[0]`")) }
            }
            Expression::Element(name, index) => {
                let length = self.place(name, kernel, memory)?;
                match **index {
                    Expression::Integer(index) if !(0..length as i128).contains(&index) => {
                        Err(out_of_bounds(index, name, length))
                    }
                    _ => self.resolve(index, kernel, memory),
                }
            }
            Expression::Memory(..) => Err(format!("condition `{}`: name a buffer or variable", self.text)),
            Expression::Unary(_, inner) => self.resolve(inner, kernel, memory),
            Expression::Chain(first, rest) => {
                self.resolve(first, kernel, memory)?;
                rest.iter().try_for_each(|(_, operand)| self.resolve(operand, kernel, memory))
            }
        }
    }

    /// Adds the place of a name; returns its number of elements.
    fn place(&mut self, name: &str, kernel: &Kernel, memory: &KernelMemory) -> Result<usize, String> {
        let (shape, address) = memory.named(name, kernel)?;
        if !self.places.iter().any(|known| known.name == name) {
            self.places.push(NamedPlace { name: name.to_owned(), shape, address });
        }
        Ok(bytes_at(&memory.memory, address).len() / shape.bytes() as usize)
    }

    /// How memory is not as the condition says.
    pub fn failure(&self, memory: &GlobalMemory) -> Option<String> {
        let mut read = ReadValues::new();
        let text = &self.text;
        let mut message = match (self.kind, self.value(&self.expression, memory, &mut read)) {
            (_, Err(error)) => format!("condition `{text}`: {error}"),
            (ConditionKind::Require, Ok(value)) if !value.is_true() => format!("required `{text}` does not hold"),
            (ConditionKind::Forbid, Ok(value)) if value.is_true() => format!("forbidden `{text}` holds"),
            _ => return None,
        };
        for (number, (written, value)) in read.iter().take(MAX_SHOWN).enumerate() {
            let separator = if number == 0 { ": " } else { ", " };
            let _ = write!(message, "{separator}`{written}` is {value}");
        }
        Some(message)
    }

    fn value(&self, expression: &Expression, memory: &GlobalMemory, read: &mut ReadValues) -> Result<Quantity, String> {
        match expression {
            Expression::Integer(value) => Ok(Quantity::Integer(*value)),
            Expression::Float(value) => Ok(Quantity::Float(*value)),
            Expression::Name(name) => self.element(name, None, memory, read),
            Expression::Element(name, index) => {
                let index = self.value(index, memory, read)?.integer();
                self.element(name, Some(index), memory, read)
            }
            Expression::Memory(..) => Err("memory has no name".to_owned()),
            Expression::Unary(operator, inner) => Ok(unary(*operator, self.value(inner, memory, read)?)),
            Expression::Chain(first, rest) => {
                let first = self.value(first, memory, read)?;
                rest.iter().try_fold(first, |left, (operator, right)| match *operator {
                    "&&" if !left.is_true() => Ok(left),
                    "||" if left.is_true() => Ok(left),
                    _ => binary(operator, left, self.value(right, memory, read)?),
                })
            }
        }
    }

    /// An element of a buffer or variable; without an index, the only one.
    fn element(
        &self,
        name: &str,
        index: Option<i128>,
        memory: &GlobalMemory,
        read: &mut ReadValues,
    ) -> Result<Quantity, String> {
        let place = self.places.iter().find(|one| one.name == name).ok_or_else(|| format!("`{name}` is not known"))?;
        let bytes = bytes_at(memory, place.address);
        let at = usize::try_from(index.unwrap_or(0)).ok();
        let found = at.and_then(|at| values(bytes, place.shape).nth(at));
        let length = bytes.len() / place.shape.bytes() as usize;
        let value = found.ok_or_else(|| out_of_bounds(index.unwrap_or(0), name, length))?;
        let (quantity, text) = Quantity::of(value);
        let written = index.map_or_else(|| name.to_owned(), |index| format!("{name}[{index}]"));
        if read.len() < MAX_SHOWN && !read.iter().any(|(other, _)| *other == written) {
            read.push((written, text));
        }
        Ok(quantity)
    }
}

fn out_of_bounds(index: i128, name: &str, length: usize) -> String {
    format!("index {index} is out of bounds: `{name}` has {length} elements")
}
