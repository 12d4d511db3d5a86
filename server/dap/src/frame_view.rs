//! A call of a thread: its registers, variables and memory by their names, and the values of expressions.

use crate::launch::LoadedKernel;
use kernel::arguments::argument_values::{shape_of, values};
use kernel::arguments::launch_memory::BufferPlace;
use kernel::expression::{Expression, Quantity, binary, truth, unary};
use kernel::{FunctionNames, NamedRegister, NamedVariable};
use machine::{ObservedMemory, RunState, ThreadView};
use program::{CodePlace, MemorySpace, SpecialValue};
use values::{Shape, Value};

/// A value with its type, as it is shown.
#[derive(Clone, Debug)]
pub struct TypedValue {
    /// The number; the first element of an array.
    pub quantity: Quantity,
    /// The text.
    pub text: String,
    /// The type.
    pub ty: String,
    /// The memory that it is in, or that it is the address of.
    pub memory: Option<ObservedMemory>,
    /// The number of bytes there.
    pub size: u64,
    /// The number of elements, if it is an array.
    pub elements: u64,
    /// Whether something has written it.
    pub is_defined: bool,
}

/// A call of a thread.
#[derive(Clone, Copy)]
pub struct FrameView<'v, 'p> {
    /// The kernel.
    pub loaded: &'v LoadedKernel,
    /// The run.
    pub state: RunState<'v, 'p>,
    /// The thread.
    pub thread: ThreadView<'v, 'p>,
    /// The call, 0 is the innermost.
    pub call: usize,
    /// Its next instruction.
    pub place: CodePlace,
}

impl TypedValue {
    /// A number that is nowhere in memory.
    fn number(quantity: Quantity) -> Self {
        let (text, ty) = match quantity {
            Quantity::Integer(value) => (value.to_string(), "integer"),
            Quantity::Float(value) => (value.to_string(), "float"),
        };
        Self { quantity, text, ty: ty.to_owned(), memory: None, size: 0, elements: 0, is_defined: true }
    }

    /// The value of bits with a type.
    fn of(bits: u128, ty: &str, is_defined: bool) -> Self {
        let (quantity, mut text) = match shape_of(ty) {
            Some(shape) => Quantity::of(Value::new(shape, bits & shape.mask())),
            // A predicate.
            None => (Quantity::Integer(bits as i128 & 1), (bits & 1 == 1).to_string()),
        };
        if !is_defined {
            text.push_str(" (undefined)");
        }
        Self { quantity, text, ty: ty.to_owned(), memory: None, size: 0, elements: 0, is_defined }
    }
}

impl<'v> FrameView<'v, '_> {
    /// The names of its function.
    fn names(&self) -> Option<&'v FunctionNames> {
        self.loaded.kernel.names.get(self.place.function as usize)
    }

    /// The registers in scope.
    pub fn registers(&self) -> impl Iterator<Item = &'v NamedRegister> + use<'v> {
        let at = self.place.instruction;
        self.names().into_iter().flat_map(move |names| names.registers_at(at))
    }

    /// The parameters and variables in scope, those of the function before those of the module.
    pub fn variables(&self) -> impl Iterator<Item = &'v NamedVariable> + use<'v> {
        self.loaded.kernel.variables_at(self.place)
    }

    /// One of the registers that a declaration declares; `element` counts those of a vector.
    pub fn register(&self, register: &NamedRegister, number: u64, element: u32) -> Option<TypedValue> {
        let slot = register.slot_of(number, element);
        let low = self.thread.register(self.call, slot)?;
        let high = if register.bits > 64 { self.thread.register(self.call, slot + 1)?.bits } else { 0 };
        Some(TypedValue::of(u128::from(high) << 64 | u128::from(low.bits), &register.ty, low.is_defined))
    }

    /// A register by its name, with an element of a vector after a dot: its declaration, its number in a range, and the element.
    pub fn find_register(&self, name: &str) -> Option<(&'v NamedRegister, u64, u32)> {
        self.names()?.find_register(name, self.place.instruction)
    }

    /// A special register.
    pub fn special(&self, name: &str) -> Option<TypedValue> {
        let register = SpecialValue::parse(name.strip_prefix('%')?)?;
        Some(TypedValue::of(self.thread.special(register).into(), "u32", true))
    }

    /// The memory of a variable.
    pub fn place_of(&self, variable: &NamedVariable) -> Option<ObservedMemory> {
        self.thread.place(self.call, variable.space, variable.address)
    }

    /// A variable: its value, or its first elements if it is an array.
    pub fn variable(&self, variable: &NamedVariable) -> Option<TypedValue> {
        let memory = self.place_of(variable)?;
        let shape = shape_of(&variable.ty)?;
        let size = match variable.size {
            // Dynamic shared memory reaches to the end.
            0 => (self.thread.shared_bytes() as u64).saturating_sub(variable.address),
            size => size.into(),
        };
        Some(self.array(memory, shape, &variable.ty, size / u64::from(shape.bytes())))
    }

    /// A buffer that is an argument.
    pub fn buffer(&self, buffer: &BufferPlace) -> TypedValue {
        let BufferPlace { shape, address, length, .. } = buffer;
        self.array(ObservedMemory::Global(*address), *shape, shape.element().name(), *length)
    }

    /// Elements in memory; the text shows the first ones.
    fn array(&self, memory: ObservedMemory, shape: Shape, ty: &str, elements: u64) -> TypedValue {
        const SHOWN: u64 = 8;
        if elements == 1 {
            return self.element(memory, shape, ty, 0).unwrap_or_else(|| TypedValue::of(0, ty, false));
        }
        let size = elements * u64::from(shape.bytes());
        let first = (SHOWN.min(elements) * u64::from(shape.bytes())) as usize;
        let bytes = self.state.read(memory, first).map_or_else(Vec::new, |(bytes, _)| bytes);
        let list: Vec<String> = values(&bytes, shape).map(|value| Quantity::of(value).1).collect();
        let more = if elements > SHOWN { ", …" } else { "" };
        let quantity = values(&bytes, shape).next().map_or(Quantity::Integer(0), |value| Quantity::of(value).0);
        let text = format!("{{{}{more}}}", list.join(", "));
        TypedValue {
            quantity,
            text,
            ty: format!("{ty}[{elements}]"),
            memory: Some(memory),
            size,
            elements,
            is_defined: true,
        }
    }

    /// An element of an array in memory.
    pub fn element(&self, memory: ObservedMemory, shape: Shape, ty: &str, index: u64) -> Option<TypedValue> {
        let size = shape.bytes();
        let memory = moved(memory, index.checked_mul(size.into())?)?;
        let (bytes, defined) = self.state.read(memory, size as usize)?;
        let value = values(&bytes, shape).next()?;
        let is_defined = defined.iter().any(|is_defined| *is_defined);
        let typed = TypedValue::of(value.bits(), ty, is_defined);
        Some(TypedValue { memory: Some(memory), size: size.into(), ..typed })
    }

    fn named_buffer(&self, name: &str) -> Option<&'v BufferPlace> {
        self.loaded.buffers.iter().find(|buffer| buffer.name == name || name.ends_with(&format!("_{}", buffer.name)))
    }

    fn named_variable(&self, name: &str) -> Option<&'v NamedVariable> {
        self.variables().filter(|one| one.name == name).last()
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// A message, without a full stop.
    pub fn evaluate(&self, expression: &Expression) -> Result<TypedValue, String> {
        match expression {
            Expression::Integer(value) => Ok(TypedValue::number(Quantity::Integer(*value))),
            Expression::Float(value) => Ok(TypedValue::number(Quantity::Float(*value))),
            Expression::Name(name) => {
                let variable = || self.named_variable(name).and_then(|variable| self.variable(variable));
                let buffer = || self.named_buffer(name).map(|buffer| self.buffer(buffer));
                let register = self.find_register(name);
                let register =
                    register.and_then(|(register, number, element)| self.register(register, number, element));
                let found = register.or_else(|| self.special(name)).or_else(variable).or_else(buffer);
                found.ok_or_else(|| format!("unknown name `{name}`"))
            }
            Expression::Element(name, index) => self.named_element(name, index),
            Expression::Memory(space, ty, address) => self.memory(*space, ty, address),
            Expression::Unary(operator, inner) => {
                let inner = self.evaluate(inner)?.quantity;
                Ok(TypedValue::number(unary(*operator, inner)))
            }
            Expression::Chain(first, rest) => {
                let first = self.evaluate(first)?.quantity;
                let value = rest.iter().try_fold(first, |left, (operator, right)| match *operator {
                    "&&" if !left.is_true() => Ok(truth(false)),
                    "||" if left.is_true() => Ok(truth(true)),
                    _ => binary(operator, left, self.evaluate(right)?.quantity),
                });
                value.map(TypedValue::number)
            }
        }
    }

    fn named_element(&self, name: &str, index: &Expression) -> Result<TypedValue, String> {
        let index = self.evaluate(index)?.quantity.integer();
        let variable = self.named_variable(name).filter(|one| one.space != MemorySpace::Parameter);
        let (memory, ty, shape, length) = match (self.named_buffer(name), variable) {
            (_, Some(variable)) => {
                let shape = shape_of(&variable.ty).ok_or_else(|| format!("`{name}` has no elements"))?;
                let array = self.variable(variable).ok_or_else(|| format!("`{name}` has no memory"))?;
                let place = self.place_of(variable).ok_or_else(|| format!("`{name}` has no memory"))?;
                (place, variable.ty.as_str(), shape, array.elements.max(1))
            }
            (Some(buffer), None) => {
                let name = buffer.shape.element().name();
                (ObservedMemory::Global(buffer.address), name, buffer.shape, buffer.length)
            }
            (None, None) => return Err(format!("unknown variable or buffer `{name}`")),
        };
        let in_range = u64::try_from(index).ok().filter(|index| *index < length);
        let index =
            in_range.ok_or_else(|| format!("index {index} is out of bounds: `{name}` has {length} elements"))?;
        self.element(memory, shape, ty, index).ok_or_else(|| format!("`{name}[{index}]` is not in memory"))
    }

    fn memory(&self, space: MemorySpace, ty: &str, address: &Expression) -> Result<TypedValue, String> {
        let shape = shape_of(ty).ok_or_else(|| format!("unknown type `{ty}`"))?;
        // A variable is its address here.
        let named = match address {
            Expression::Name(name) => self.named_variable(name).and_then(|variable| self.place_of(variable)),
            _ => None,
        };
        let place = match named {
            Some(place) => Some(place),
            None => {
                let address = self.evaluate(address)?.quantity.integer() as u64;
                // Parameters are at offsets, which are small numbers.
                let is_address = space != MemorySpace::Parameter || u32::try_from(address).is_ok();
                is_address.then(|| self.thread.place(self.call, space, address)).flatten()
            }
        };
        let value = place.and_then(|place| self.element(place, shape, ty, 0));
        value.ok_or_else(|| "no memory at this address".to_owned())
    }
}

/// The byte at a distance.
pub fn moved(memory: ObservedMemory, by: u64) -> Option<ObservedMemory> {
    Some(match memory {
        ObservedMemory::Global(address) => ObservedMemory::Global(address.checked_add(by)?),
        ObservedMemory::Shared { cta, offset } => ObservedMemory::Shared { cta, offset: offset.checked_add(by)? },
        ObservedMemory::Local { thread, offset } => ObservedMemory::Local { thread, offset: offset.checked_add(by)? },
    })
}
