//! Resolves the names of a function: registers, parameters and variables, and their addresses.

use crate::lower::cut;
use crate::lower::shared_variables::{SYMBOL_STRIDE, in_cta, shared_key};
use crate::lower::source_instruction::SourceInstruction;
use crate::lower::thread::Lower;
use crate::parse::number;
use crate::test::LitmusError;
use isa::types::Type;
use memory_model::arithmetic::AluOp;
use memory_model::{FencedSpace, Location, ModelAddress, ModelOperand, ModelRegister, ThreadPosition};

/// The most CTAs of a cluster.
const MAX_CLUSTER: u64 = 16;

impl Lower<'_> {
    /// The destination register.
    pub fn destination(&mut self, source: &SourceInstruction) -> Result<usize, LitmusError> {
        match source.operands.first() {
            Some((name, _)) if !name.contains(['{', '[', '|']) => Ok(self.register(name)),
            _ => Err(source.unsupported()),
        }
    }

    /// The register with a name; created if it does not exist.
    pub fn register(&mut self, name: &str) -> usize {
        let registers = &self.test.program.threads[self.number].registers;
        if let Some(at) = registers.iter().position(|register| register.name == name) {
            return at;
        }
        let thread = &self.test.program.threads[self.number].name;
        let given = self.lowering.inits.get(&format!("{thread}:{name}")).and_then(|(value, _)| number(value));
        let registers = &mut self.test.program.threads[self.number].registers;
        let init = cut(given.unwrap_or(0), self.body.widths.of(name));
        registers.push(ModelRegister { name: name.to_owned(), init });
        registers.len() - 1
    }

    /// A register, a number, or the address of a variable.
    pub fn operand(&mut self, source: &SourceInstruction, at: usize) -> Result<ModelOperand, LitmusError> {
        let Some((text, _)) = source.operands.get(at) else { return Err(source.unsupported()) };
        if let Some(value) = number(text.trim_end_matches('U')) {
            return Ok(ModelOperand::Constant(value));
        }
        if self.symbols.contains_key(text.as_str()) {
            return self.symbol(text, source);
        }
        match text.contains(['{', '[', '|', '-', '!', '+']) {
            true => Err(source.unsupported()),
            false => Ok(ModelOperand::Register(self.register(text))),
        }
    }

    /// The value of a parameter, or the address of a variable. A pointer parameter without an initial value points to memory named after it.
    pub fn symbol(&mut self, name: &str, source: &SourceInstruction) -> Result<ModelOperand, LitmusError> {
        let thread = self.test.program.threads[self.number].name.clone();
        if let Some((value, _)) = self.lowering.inits.get(&format!("{thread}:{name}")) {
            return match number(value) {
                Some(value) => Ok(ModelOperand::Constant(value)),
                None => Ok(ModelOperand::Constant(self.base(value.trim_start_matches('&')).into())),
            };
        }
        if self.symbols.contains_key(name) || self.body.parameters.iter().any(|known| known == name) {
            return Ok(ModelOperand::Constant(self.base(name).into()));
        }
        Err(source.error(format!("unknown variable or parameter `{name}`")))
    }

    /// The address of a symbol. Shared memory has one address per CTA.
    fn base(&mut self, name: &str) -> u64 {
        let key = self.key(name);
        let symbol = self.symbols.get(name);
        let known = self.test.program.locations.iter().find(|location| location.name == key);
        if let Some(location) = known {
            return location.address;
        }
        let highest =
            self.test.program.locations.iter().map(|location| location.address / SYMBOL_STRIDE).max().unwrap_or(0);
        let start = symbol.filter(|symbol| symbol.shared).map_or(0, |symbol| symbol.window.start);
        let address = (highest + 1) * SYMBOL_STRIDE + start;
        let bytes = symbol.map_or_else(|| self.pointee(), |symbol| symbol.bytes);
        let space = symbol.map(|symbol| if symbol.shared { FencedSpace::Shared } else { FencedSpace::Global });
        self.test.program.locations.push(Location { name: key, address, bytes, space, ..Location::default() });
        address
    }

    /// The name of the location of a symbol.
    pub fn key(&self, name: &str) -> String {
        match self.symbols.get(name) {
            Some(symbol) if symbol.shared => shared_key(self.test, name, self.test.program.threads[self.number].place),
            _ => name.to_owned(),
        }
    }

    /// Refuses the rank of a CTA that the cluster does not have.
    pub fn check_rank(&self, source: &SourceInstruction, rank: u64) -> Result<(), LitmusError> {
        let ctas = self.body.cluster.unwrap_or(MAX_CLUSTER);
        if rank < ctas {
            return Ok(());
        }
        let help = format!("use a rank below {ctas}");
        Err(LitmusError { help, ..source.error(format!("rank {rank} in a cluster of {ctas} CTAs")) })
    }

    /// `mapa`: the address of a shared variable in another CTA of the cluster.
    pub fn map_to_rank(&mut self, source: &SourceInstruction) -> Result<(), LitmusError> {
        let to = self.destination(source)?;
        let (variable, rank) = (self.operand(source, 1)?, self.operand(source, 2)?);
        let thread = &self.test.program.threads[self.number];
        let (Some(variable), Some(rank)) = (thread.static_value(variable), thread.static_value(rank)) else {
            return Err(source.error("operands of `mapa` are not constant".to_owned()));
        };
        let place = ThreadPosition { cta: rank as u32, ..thread.place };
        self.check_rank(source, rank as u64)?;
        let mapped = in_cta(self.test, variable as u64, place);
        let mapped = mapped.ok_or_else(|| source.error("`mapa` of what is no shared variable".to_owned()))?;
        let (address, zero) = (ModelOperand::Constant(mapped.into()), ModelOperand::Constant(0));
        self.compute(source, to, AluOp::Move, (64, false), address, zero);
        Ok(())
    }

    /// The size of the memory that pointer parameters refer to: that of the first access of the function.
    fn pointee(&self) -> u32 {
        let size = |instruction: &syntax::Instruction| {
            let opcode = instruction.opcode();
            let memory = matches!(&*opcode.mnemonic.text, "ld" | "st" | "atom" | "red");
            let words = opcode.words();
            let ty = words
                .iter()
                .rev()
                .find_map(|word| Type::parse(word))
                .filter(|_| memory && !words.contains(&"param"))?;
            Some(ty.bits() / 8)
        };
        self.body.code.iter().find_map(size).unwrap_or(4)
    }

    /// The base of an address and what is added to it.
    pub fn address_parts(&mut self, source: &SourceInstruction, at: usize) -> Result<(ModelOperand, i64), LitmusError> {
        let (base, offset) = written_address(source, at)?;
        let base = match self.symbols.contains_key(base) {
            true => ModelOperand::Constant(self.base(base).into()),
            false => ModelOperand::Register(self.register(base)),
        };
        Ok((base, offset))
    }

    /// `[name]`, `[name+4]`, `[%rd1]`, `[%rd1+4]`.
    pub fn address(&mut self, source: &SourceInstruction, at: usize, bytes: u32) -> Result<ModelAddress, LitmusError> {
        let (base, offset) = written_address(source, at)?;
        if !self.symbols.contains_key(base) {
            return Ok(ModelAddress::Register(self.register(base), offset));
        }
        let address = self.base(base).wrapping_add_signed(offset);
        if let Some(location) = self.test.program.at(address, bytes) {
            return Ok(ModelAddress::Location(location));
        }
        let overlaps = |location: &Location| {
            location.address < address + u64::from(bytes) && address < location.address + u64::from(location.bytes)
        };
        if self.test.program.locations.iter().any(overlaps) {
            return Err(source.error(format!(
                "accesses of different sizes overlap in `{base}`, which the memory model does not define"
            )));
        }
        let name = format!("{}+{offset}", self.key(base));
        self.test.program.locations.push(Location { name, address, bytes, ..Location::default() });
        Ok(ModelAddress::Location(self.test.program.locations.len() - 1))
    }
}

/// The name of an address operand, and the number after it.
fn written_address(source: &SourceInstruction, at: usize) -> Result<(&str, i64), LitmusError> {
    let Some((text, _)) = source.operands.get(at) else { return Err(source.unsupported()) };
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(|| source.unsupported())?;
    match inner.find(['+', '-']) {
        Some(sign) if sign > 0 => {
            let offset = inner[sign..].trim_start_matches('+');
            Ok((&inner[..sign], number(offset).ok_or_else(|| source.unsupported())? as i64))
        }
        _ => Ok((inner, 0)),
    }
}
