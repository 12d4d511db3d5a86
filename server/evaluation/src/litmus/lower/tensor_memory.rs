//! Lowers `tcgen05`. One thread stands for the warp, and one location for the columns that an operation accesses: it has the value of the first
//! register. A product is the sum of the first elements of its matrices.

use crate::litmus::lower::copies::{CopiedAddress, CopiedShape, CopiedValue, MBARRIER_BYTES, PRODUCT_BYTES, Product};
use crate::litmus::lower::shared_variables::{SYMBOL_STRIDE, shared_key};
use crate::litmus::lower::source_instruction::SourceInstruction;
use crate::litmus::lower::thread::Lower;
use crate::litmus::lower::warpgroup_product::Accumulation;
use crate::litmus::parse::{AsyncGroup, TensorPipeline, TensorPipelineKind};
use crate::litmus::test::{LitmusError, LoadedAddress};
use memory_model::{Access, Location, ModelAddress, ModelInstruction, ModelOperand, Observable, ThreadPosition};
use std::ops::Range;

/// The lanes of tensor memory that a warp accesses.
const WARP_LANES: u64 = 32;
/// The columns that a matrix in tensor memory has at most in one product.
const INPUT_COLUMNS: u64 = 8;
/// The bits of an instruction descriptor with the columns of the product, in units of eight.
const PRODUCT_COLUMNS: (u32, u64) = (17, 0x3f);

impl Lower<'_> {
    /// Lowers an instruction of tensor memory; `None` if it is none.
    pub fn tensor_memory(&mut self, source: &SourceInstruction) -> Option<Result<(), LitmusError>> {
        let words: Vec<&str> = source.words.iter().map(String::as_str).collect();
        Some(match words[..] {
            ["tcgen05", "alloc", ..] => self.allocate(source),
            ["tcgen05", "dealloc" | "relinquish_alloc_permit", ..] => Ok(()),
            ["tcgen05", "ld", "sync", "aligned", "32x32b", _, "b32"] => self.load_tensor(source),
            ["tcgen05", "st", "sync", "aligned", "32x32b", _, "b32"] => self.store_tensor(source),
            ["tcgen05", "wait::ld", ..] => self.wait_for_tensors(source, AsyncGroup::TensorLoad),
            ["tcgen05", "wait::st", ..] => self.wait_for_tensors(source, AsyncGroup::TensorStore),
            ["tcgen05", "fence::before_thread_sync"] => {
                let fence = self.operations.release_tensors(self.number);
                self.push(source, fence);
                Ok(())
            }
            ["tcgen05", "fence::after_thread_sync"] => {
                self.push(source, ModelInstruction::AcquireOperations);
                Ok(())
            }
            // What it does in the other CTA of the pair is not followed.
            ["tcgen05", "mma" | "cp", "cta_group::2", ..] => Err(source.unsupported()),
            ["tcgen05", "mma", _, _] => self.multiply_tensors(source),
            ["tcgen05", "cp", _, "128x256b" | "4x256b" | "128x128b" | "64x128b" | "32x128b", ..] => {
                self.copy_to_tensor(source)
            }
            ["tcgen05", "commit", ..] => self.commit_tensors(source),
            ["tcgen05", ..] => Err(source.unsupported()),
            _ => return None,
        })
    }

    /// A register for what a load sees of an address that an allocation writes to a variable.
    pub fn loaded_address(&mut self, variable: &str) -> usize {
        let same = self.test.loaded_addresses.iter().filter(|one| one.variable == variable).count();
        let number = if same == 0 { String::new() } else { format!(" {}", same + 1) };
        let register = self.register(&format!("[{variable}]{number}"));
        let loaded =
            LoadedAddress { register: Observable::Register(self.number, register), variable: variable.to_owned() };
        self.test.loaded_addresses.push(loaded);
        register
    }

    /// The variable that an instruction accesses and the address that an allocation writes there, if one does.
    pub fn allocated_address(&mut self, source: &SourceInstruction, at: usize) -> Option<(String, u64)> {
        if self.tensors.allocations.is_empty() {
            return None;
        }
        let (base, offset) = self.address_parts(source, at).ok()?;
        let base = self.test.program.threads[self.number].static_value(base)? as u64;
        let allocations = self.tensors.allocations.clone();
        let is_slot = |name: &str| {
            let key = self.key(name);
            let slot = self.test.program.locations.iter().find(|location| location.name == key);
            slot.is_some_and(|slot| slot.address == base.wrapping_add_signed(offset))
        };
        allocations.into_iter().find(|(name, _)| is_slot(name))
    }

    /// `tcgen05.alloc`: the address is written through the generic proxy.
    fn allocate(&mut self, source: &SourceInstruction) -> Result<(), LitmusError> {
        let at = self.address(source, 0, PRODUCT_BYTES)?;
        let (_, column) = self.allocated_address(source, 0).ok_or_else(|| {
            let help = "write the address to a shared variable of the module".to_owned();
            LitmusError {
                help,
                ..source.error("address of the allocation is written to no shared variable".to_owned())
            }
        })?;
        let value = ModelOperand::Constant(column.into());
        self.push(source, ModelInstruction::Store { at, value, bytes: PRODUCT_BYTES, access: Access::weak() });
        Ok(())
    }

    fn load_tensor(&mut self, source: &SourceInstruction) -> Result<(), LitmusError> {
        let registers = registers(source, 0)?;
        let to = self.register(registers[0]);
        if let Some(other) = registers[1..].iter().find(|register| **register != "_" && self.uses(register)) {
            let help = "use the first register alone: only that one has a value".to_owned();
            let message = format!("`{other}` is not the first register of the load, and another instruction uses it");
            return Err(LitmusError { help, ..source.error(message) });
        }
        let at = self.tensor(source, 1, registers.len() as u64)?;
        let result = self.register_location();
        let [load, store] = moved(at, result);
        self.issue_code(source, AsyncGroup::TensorLoad, vec![load, store]);
        let (bytes, access) = (PRODUCT_BYTES, Access::weak());
        self.push(source, ModelInstruction::Load { to: Some(to), at: result, bytes, access });
        Ok(())
    }

    /// Whether an instruction of the function uses a register, but as one after the first of a tile.
    fn uses(&self, register: &str) -> bool {
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '%');
        let names = |text: &str| text.split(|c| !is_of_name(c)).any(|name| name == register);
        self.body.code.iter().map(SourceInstruction::new).any(|one| {
            let tile = match one.words[..].get(..2) {
                Some([first, second]) if first == "tcgen05" && second == "ld" => Some(0),
                Some([first, second]) if first == "tcgen05" && second == "st" => Some(1),
                _ => None,
            };
            one.operands.iter().enumerate().any(|(at, (text, _))| match tile == Some(at) {
                true => text.split(',').next().is_some_and(names),
                false => names(text),
            })
        })
    }

    fn store_tensor(&mut self, source: &SourceInstruction) -> Result<(), LitmusError> {
        let registers = registers(source, 1)?;
        let at = self.tensor(source, 0, registers.len() as u64)?;
        let value = match crate::litmus::parse::number(registers[0]) {
            Some(value) => ModelOperand::Constant(value),
            None => ModelOperand::Register(self.register(registers[0])),
        };
        let passed = self.register_location();
        let (bytes, access) = (PRODUCT_BYTES, Access::weak());
        self.push(source, ModelInstruction::Store { at: passed, value, bytes, access });
        let [load, store] = moved(passed, at);
        self.issue_code(source, AsyncGroup::TensorStore, vec![load, store]);
        Ok(())
    }

    fn wait_for_tensors(&mut self, source: &SourceInstruction, kind: AsyncGroup) -> Result<(), LitmusError> {
        let wait = self.operations.wait_for_tensors(self.number, kind);
        self.push(source, wait);
        Ok(())
    }

    /// `tcgen05.mma [d], a, b, idesc, enable-input-d`, where `a` is a descriptor or in tensor memory.
    fn multiply_tensors(&mut self, source: &SourceInstruction) -> Result<(), LitmusError> {
        if source.operands.len() != 5 {
            return Err(source.unsupported());
        }
        let descriptor = self.number_operand(source, 3)? as u64;
        let columns = (descriptor >> PRODUCT_COLUMNS.0 & PRODUCT_COLUMNS.1) * 8;
        let to = self.tensor(source, 0, columns.max(1))?;
        let input = match source.operands[1].0.starts_with('[') {
            true => Some(self.tensor(source, 1, INPUT_COLUMNS)?),
            false => None,
        };
        let mut shared = Vec::new();
        for at in (1 + usize::from(input.is_some()))..3 {
            shared.push(self.matrix(source, at)?);
        }
        let mut tensors: Vec<ModelAddress> = input.into_iter().collect();
        if self.accumulation(source, 4, "enable-input-d")? == Accumulation::Adds {
            tensors.push(to);
        }
        self.issue_product(source, to, (shared, tensors), TensorPipelineKind::Product(input));
        Ok(())
    }

    /// `tcgen05.cp [d], descriptor`.
    fn copy_to_tensor(&mut self, source: &SourceInstruction) -> Result<(), LitmusError> {
        let columns = if source.words[3].ends_with("256b") { 8 } else { 4 };
        let to = self.tensor(source, 0, columns)?;
        let from = self.matrix(source, 1)?;
        self.issue_product(source, to, (vec![from], Vec::new()), TensorPipelineKind::Copy);
        Ok(())
    }

    /// Issues an operation that later ones may be executed after in the order of their issue.
    fn issue_product(
        &mut self,
        source: &SourceInstruction,
        to: ModelAddress,
        (shared, tensors): (Vec<u64>, Vec<ModelAddress>),
        kind: TensorPipelineKind,
    ) {
        let pipeline = TensorPipeline { group: source.words.get(2).cloned(), written: to, kind };
        let after = self.operations.executed_before(self.number, &pipeline);
        let value = CopiedValue::Product(Product { after, shared, tensors });
        let ModelAddress::Location(at) = to else { return };
        let to = constant_address(self.test.program.locations[at].address);
        let shape = CopiedShape::Bytes(PRODUCT_BYTES.into());
        let operation = self.issue(source, Some(AsyncGroup::Tcgen05), (to, value, shape), |copy| copy);
        self.operations.set_pipeline(operation, pipeline);
    }

    /// `tcgen05.commit`: an arrival at each mbarrier when the earlier products and copies have ended.
    fn commit_tensors(&mut self, source: &SourceInstruction) -> Result<(), LitmusError> {
        let is_multicast = source.has("multicast::cluster");
        let ranks: Vec<Option<u32>> = match is_multicast {
            true => {
                let mask = self.number_operand(source, 1)?;
                (0..u16::BITS).filter(|rank| mask >> rank & 1 == 1).map(Some).collect()
            }
            false => vec![None],
        };
        for rank in ranks {
            if let Some(rank) = rank {
                self.check_rank(source, rank.into())?;
            }
            let before = self.operations.before_commit(self.number);
            let (base, offset) = self.address_parts(source, 0)?;
            let to = CopiedAddress { base, offset, space: None };
            let value = (to, CopiedValue::Arrival(before), CopiedShape::Bytes(MBARRIER_BYTES.into()));
            self.issue(source, None, value, |copy| crate::litmus::lower::copies::UnresolvedCopy { rank, ..copy });
        }
        Ok(())
    }

    /// The location of the columns that an operation accesses.
    fn tensor(&mut self, source: &SourceInstruction, at: usize, columns: u64) -> Result<ModelAddress, LitmusError> {
        let (base, offset) = self.address_parts(source, at)?;
        let help = "compute it from what `tcgen05.alloc` writes to a shared variable, or from a number".to_owned();
        let unknown = LitmusError { help, ..source.error("address in tensor memory is not constant".to_owned()) };
        let address = (self.constant(base, unknown)? as u64).wrapping_add_signed(offset);
        let (lane, first) = (address >> 16, address & 0xffff);
        if lane >= WARP_LANES {
            let help = "use lanes 0..32: one warp stands for all".to_owned();
            return Err(LitmusError { help, ..source.error(format!("access to lane {lane} of tensor memory")) });
        }
        let place = self.test.program.threads[self.number].place;
        let new = first..first + columns;
        let overlaps = |(cta, known): &(ThreadPosition, Range<u64>)| {
            *cta == place && known.start != new.start && known.start < new.end && new.start < known.end
        };
        if let Some((_, known)) = self.tensors.accessed.iter().find(|one| overlaps(one)) {
            let help = "let all operations on a matrix begin at its first column".to_owned();
            let message = format!(
                "columns {}..{} and {}..{} of tensor memory overlap, but do not begin at the same column",
                known.start, known.end, new.start, new.end
            );
            return Err(LitmusError { help, ..source.error(message) });
        }
        self.tensors.accessed.push((place, new));
        let name = shared_key(self.test, &format!("column {first}"), place);
        let locations = &self.test.program.locations;
        let known = locations.iter().position(|location| location.name == name);
        Ok(ModelAddress::Location(known.unwrap_or_else(|| self.new_location(name))))
    }

    /// A new location that stands for a register of an operation.
    fn register_location(&mut self) -> ModelAddress {
        let at = self.new_location(format!("(register {})", self.test.program.locations.len()));
        self.test.program.locations[at].is_register = true;
        ModelAddress::Location(at)
    }

    fn new_location(&mut self, name: String) -> usize {
        let locations = &mut self.test.program.locations;
        let highest = locations.iter().map(|location| location.address / SYMBOL_STRIDE).max().unwrap_or(0);
        let address = (highest + 1) * SYMBOL_STRIDE;
        locations.push(Location { name, address, bytes: PRODUCT_BYTES, ..Location::default() });
        locations.len() - 1
    }
}

/// The registers of `{%r0, %r1}` or `%r0`.
fn registers(source: &SourceInstruction, at: usize) -> Result<Vec<&str>, LitmusError> {
    let (text, _) = source.operands.get(at).ok_or_else(|| source.unsupported())?;
    Ok(text.trim_matches(['{', '}']).split(',').collect())
}

/// The address of a location.
fn constant_address(address: u64) -> CopiedAddress {
    CopiedAddress { base: ModelOperand::Constant(address.into()), offset: 0, space: None }
}

/// The code of an operation that moves a value between two locations.
fn moved(from: ModelAddress, to: ModelAddress) -> [ModelInstruction; 2] {
    let (bytes, access) = (PRODUCT_BYTES, Access::weak());
    [
        ModelInstruction::Load { to: Some(0), at: from, bytes, access },
        ModelInstruction::Store { at: to, value: ModelOperand::Register(0), bytes, access },
    ]
}
