//! Operands: registers, constants, addresses.

use crate::lower::function::FunctionLowering;
use crate::module::names::{KernelSymbol, Meaning, Register};
use program::{AddressConversion, Destination, MachineAction, MachineAddress, MemorySpace, Source, SpecialValue};
use syntax::{Number, Operand, OperandKind, integer_value};

/// How a constant operand is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantKind {
    /// An integer, or the bits of a floating-point number.
    Bits,
    /// A floating-point number of 32 bits.
    Single,
    /// A floating-point number of 64 bits.
    Double,
}

impl FunctionLowering<'_, '_> {
    /// The registers of a scalar or of the elements of a vector; two for each element of 128 bits.
    pub fn destinations(&mut self, operand: &Operand, bits: u32) -> Option<Vec<Option<Destination>>> {
        let elements: Vec<Option<Register>> = match operand.kind {
            OperandKind::Vector => {
                let lanes = operand.lanes();
                lanes.iter().map(|one| self.optional_register(one)).collect::<Option<_>>()?
            }
            OperandKind::Sink => vec![None],
            _ => self.register(operand)?.elements().map(Some).collect(),
        };
        let parts = |element: Option<Register>| {
            let of_part = move |part: u32| element.map(|register| register.part(part));
            (0..bits.div_ceil(64)).map(of_part)
        };
        Some(elements.into_iter().flat_map(parts).collect())
    }

    /// The values of a scalar or of the elements of a vector; two for each element of 128 bits.
    pub fn sources(&mut self, operand: &Operand, bits: u32, kind: ConstantKind) -> Option<Vec<Source>> {
        let vector = self.register(operand).filter(|register| register.lanes > 1);
        let list: Vec<Source> = match (operand.kind, vector) {
            (_, Some(vector)) => vector.elements().map(|element| Source::Register(element.slot)).collect(),
            (OperandKind::Vector, _) => {
                operand.lanes().iter().map(|one| self.source(one, kind)).collect::<Option<_>>()?
            }
            _ => vec![self.source(operand, kind)?],
        };
        let mut found = Vec::new();
        for source in list {
            found.push(source);
            if bits > 64 {
                found.push(match source {
                    Source::Register(slot) => Source::Register(slot + 1),
                    Source::Constant(_) => self.constant(0),
                });
            }
        }
        Some(found)
    }

    /// The register that an operand names.
    pub fn register(&self, operand: &Operand) -> Option<Register> {
        match operand.kind {
            OperandKind::Name => match self.names.find(&operand.token.text)? {
                Meaning::Register(register) => Some(register),
                Meaning::Symbol(_) => None,
            },
            OperandKind::Element => {
                let (name, element) = operand.element()?;
                let Meaning::Register(register) = self.names.find(&name.text)? else { return None };
                let lane = ["x", "y", "z", "w"].iter().position(|known| **known == *element.text);
                let lane = lane.or_else(|| ["r", "g", "b", "a"].iter().position(|known| **known == *element.text))?;
                register.elements().nth(lane)
            }
            _ => None,
        }
    }

    /// The register that an operand writes.
    pub fn destination(&self, operand: &Operand) -> Option<Destination> {
        Some(self.register(operand)?.part(0))
    }

    /// The register that an operand names, or none for `_`.
    pub fn optional_register(&self, operand: &Operand) -> Option<Option<Register>> {
        if operand.kind == OperandKind::Sink { Some(None) } else { self.register(operand).map(Some) }
    }

    /// The register that an operand writes, or none for `_`.
    pub fn optional_destination(&self, operand: &Operand) -> Option<Option<Destination>> {
        Some(self.optional_register(operand)?.map(|register| register.part(0)))
    }

    /// The value of an operand.
    pub fn source(&mut self, operand: &Operand, constant: ConstantKind) -> Option<Source> {
        let text = &*operand.token.text;
        match operand.kind {
            OperandKind::Name | OperandKind::Element => match self.register(operand) {
                Some(register) => Some(Source::Register(register.slot)),
                None => self.special(operand).or_else(|| self.name_address(text, 0)),
            },
            OperandKind::Sum => {
                let (name, offset) = operand.parts()?;
                self.name_address(&name.token.text, integer_value(&offset.token.text)? as u64)
            }
            OperandKind::Subscript => {
                let (name, index) = operand.parts()?;
                self.name_address(&name.token.text, integer_value(&index.token.text)? as u64)
            }
            OperandKind::Negation => match operand.negated("!") {
                Some(inner) => {
                    let source = self.source(&inner, constant)?;
                    self.negated_predicate(source)
                }
                None => self.constant_operand(text, constant),
            },
            OperandKind::Constant => self.constant_operand(text, constant),
            _ => None,
        }
    }

    fn constant_operand(&mut self, text: &str, kind: ConstantKind) -> Option<Source> {
        let bits = match (kind, Number::float(text)) {
            (ConstantKind::Double, Some(value)) => value.to_bits(),
            (ConstantKind::Single, Some(value)) => u64::from((value as f32).to_bits()),
            // The bits of a number in an untyped operand.
            (ConstantKind::Bits, Some(value)) if is_written_single(text) => u64::from((value as f32).to_bits()),
            (ConstantKind::Bits, Some(value)) => value.to_bits(),
            (_, None) => integer_value(text)? as u64,
        };
        Some(self.constant(bits))
    }

    fn negated_predicate(&mut self, source: Source) -> Option<Source> {
        let zero = self.constant(0);
        self.computed("not", "pred", [source, zero, zero, zero])
    }

    fn special(&mut self, operand: &Operand) -> Option<Source> {
        let name: String = operand.token.text.split_whitespace().collect();
        let register = SpecialValue::parse(name.strip_prefix('%')?)?;
        let destination = self.temporary();
        self.emit(MachineAction::ReadSpecial(destination, register));
        Some(Source::Register(destination.slot))
    }

    /// A variable by its name.
    pub fn symbol(&mut self, name: &str) -> Option<KernelSymbol> {
        match self.names.find(name) {
            Some(Meaning::Symbol(symbol)) => {
                if self.is_kernel && symbol.space == MemorySpace::Parameter {
                    self.used_parameters.insert(symbol.address);
                }
                Some(symbol)
            }
            Some(Meaning::Register(_)) => None,
            None => self.module.symbol(name),
        }
    }

    /// The address of a variable or function.
    fn name_address(&mut self, name: &str, offset: u64) -> Option<Source> {
        let Some(symbol) = self.symbol(name) else {
            let address = self.module.function_address(name)?;
            return Some(self.constant(address));
        };
        let address = self.symbol_address(symbol, offset);
        if symbol.space != MemorySpace::Frame {
            return Some(address);
        }
        let destination = self.temporary();
        self.emit(MachineAction::ConvertAddress(destination, address, AddressConversion::FrameToLocal));
        Some(Source::Register(destination.slot))
    }

    /// The address of an access in a space.
    pub fn address(&mut self, operand: &Operand, space: MemorySpace) -> Option<MachineAddress> {
        let (base, offset) = match operand.kind {
            OperandKind::Address => {
                let address = operand.address()?;
                let offset = match address.offset {
                    Some(offset) => integer_value(&offset.text)? as i64,
                    None => 0,
                };
                (address.base, offset)
            }
            _ => (operand.clone(), 0),
        };
        let (base, offset) = match base.kind {
            OperandKind::Subscript => {
                let (name, index) = base.parts()?;
                (name, offset + integer_value(&index.token.text)? as i64)
            }
            _ => (base, offset),
        };
        let symbol = match base.kind {
            OperandKind::Name if self.register(&base).is_none() => self.symbol(&base.token.text),
            _ => None,
        };
        let Some(symbol) = symbol else {
            let base = self.source(&base, ConstantKind::Bits)?;
            return Some(MachineAddress { space: self.register_space(space), base, offset });
        };
        let base = self.symbol_address(symbol, 0);
        let space = match (space, symbol.space) {
            (_, MemorySpace::Frame) => MemorySpace::Frame,
            (MemorySpace::Parameter, _) => MemorySpace::Parameter,
            (MemorySpace::Generic, of_symbol) => of_symbol,
            (space, _) => space,
        };
        Some(MachineAddress { space, base, offset })
    }

    /// The space of an address in a register: parameters of a device function are in its frame, those of a kernel have addresses of their own.
    const fn register_space(&self, space: MemorySpace) -> MemorySpace {
        match space {
            MemorySpace::Parameter if !self.is_kernel => MemorySpace::Local,
            MemorySpace::Frame => MemorySpace::Local,
            space => space,
        }
    }
}

/// Whether a constant is the bits of a single, behind a sign. Those of a double may have the same two digits among them.
fn is_written_single(text: &str) -> bool {
    let digits = text.trim_start_matches(|first: char| !first.is_ascii_alphanumeric());
    digits.starts_with("0f") || digits.starts_with("0F")
}
