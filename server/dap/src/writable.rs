//! What a user can change in a call of a thread, and the values that are written there.

use crate::edit_history::Writable;
use crate::frame_view::{FrameView, TypedValue};
use crate::handles::ScopeKind;
use crate::variables::in_scope;
use kernel::arguments::argument_values::shape_of;
use kernel::expression::{Expression, Quantity};
use machine::StateEdit;
use values::{Shape, literal};

impl FrameView<'_, '_> {
    /// What a name stands for in a scope.
    ///
    /// # Errors
    /// A message, if it cannot be changed.
    pub fn writable_in(&self, kind: ScopeKind, name: &str) -> Result<Writable, String> {
        if kind == ScopeKind::Registers {
            return self.writable_register(name).ok_or_else(|| format!("unknown name `{name}`"));
        }
        let found = in_scope(self, kind).into_iter().find(|(known, _)| known == name);
        let (_, value) = found.ok_or_else(|| format!("unknown name `{name}`"))?;
        in_memory(&value, name)
    }

    /// What an expression stands for; `text` is the expression.
    ///
    /// # Errors
    /// A message, if it cannot be changed.
    pub fn writable(&self, expression: &Expression, text: &str) -> Result<Writable, String> {
        if let Expression::Name(name) = expression
            && let Some(register) = self.writable_register(name)
        {
            return Ok(register);
        }
        in_memory(&self.evaluate(expression)?, text)
    }

    fn writable_register(&self, name: &str) -> Option<Writable> {
        let (register, number, element) = self.find_register(name)?;
        Some(Writable::Register { register: register.clone(), number, element })
    }

    /// The value.
    pub fn value_of(&self, writable: &Writable) -> Option<TypedValue> {
        match writable {
            Writable::Register { register, number, element } => self.register(register, *number, *element),
            Writable::Memory { memory, shape, ty } => self.element(*memory, *shape, ty, 0),
        }
    }

    /// The edits that give it the value of a text.
    ///
    /// # Errors
    /// A message, if the text has no value of its type.
    pub fn assigned(&self, writable: &Writable, text: &str) -> Result<Vec<StateEdit>, String> {
        match writable {
            Writable::Register { register, number, element } => {
                let bits = match shape_of(&register.ty) {
                    Some(shape) => self.bits(text, shape)?,
                    None => u128::from(self.is_true(text)?),
                };
                let slot = register.slot_of(*number, *element);
                let thread = self.thread.id();
                let edit = |slot, bits| StateEdit::Register { thread, call: self.call, slot, bits };
                let mut edits = vec![edit(slot, bits as u64)];
                if register.bits > 64 {
                    edits.push(edit(slot + 1, (bits >> 64) as u64));
                }
                Ok(edits)
            }
            Writable::Memory { memory, shape, .. } => {
                let bits = self.bits(text, *shape)?;
                let bytes = bits.to_le_bytes()[..shape.bytes() as usize].to_vec();
                Ok(vec![StateEdit::Memory { memory: *memory, bytes }])
            }
        }
    }

    /// The bits of a literal, or of the value of an expression. Values are shown with their hexadecimal digits after them, which are ignored.
    fn bits(&self, text: &str, shape: Shape) -> Result<u128, String> {
        let text = unannotated(text);
        let wrong = match literal::parse(text, shape) {
            Ok(value) => return Ok(value.bits()),
            Err(error) => error.to_string(),
        };
        let Ok(expression) = Expression::parse(text) else { return Err(wrong) };
        let number = match self.evaluate(&expression)?.quantity {
            Quantity::Integer(value) => value.to_string(),
            Quantity::Float(value) => value.to_string(),
        };
        literal::parse(&number, shape).map(|value| value.bits()).map_err(|error| error.to_string())
    }

    /// The value of a predicate.
    fn is_true(&self, text: &str) -> Result<bool, String> {
        match unannotated(text) {
            "true" => Ok(true),
            "false" => Ok(false),
            text => Ok(self.evaluate(&Expression::parse(text)?)?.quantity.is_true()),
        }
    }
}

/// A text without what is shown after a value.
fn unannotated(text: &str) -> &str {
    let text = text.trim();
    let hexadecimal = text.split_once(" (0x").map(|(value, _)| value);
    hexadecimal.or_else(|| text.strip_suffix(" (undefined)")).unwrap_or(text)
}

fn in_memory(value: &TypedValue, name: &str) -> Result<Writable, String> {
    let memory =
        value.memory.ok_or_else(|| format!("`{name}` cannot be changed: it is no register and not in memory"))?;
    if value.elements > 1 {
        return Err(format!("`{name}` has {} elements: change one of them", value.elements));
    }
    let ty = value.ty.clone();
    let shape = shape_of(&ty).ok_or_else(|| format!("`{name}` has no type"))?;
    Ok(Writable::Memory { memory, shape, ty })
}

#[cfg(test)]
mod tests {
    use super::unannotated;

    #[test]
    fn values_as_they_are_shown_can_be_edited() {
        assert_eq!(
            [unannotated("32 (0x20)"), unannotated("0 (undefined)"), unannotated(" (1 + 2) ")],
            ["32", "0", "(1 + 2)"]
        );
    }
}
