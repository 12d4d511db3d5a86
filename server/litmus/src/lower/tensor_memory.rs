//! Lowers `tcgen05`. One thread stands for the warp, and one location for the columns that an operation accesses: it has the value of the first
//! register. A product is the sum of the first elements of its matrices.

use crate::lower::copies::{CopiedAddress, CopiedShape, CopiedValue, MBARRIER_BYTES, PRODUCT_BYTES, Product};
use crate::lower::shared_variables::{SYMBOL_STRIDE, shared_key};
use crate::lower::source_instruction::SourceInstruction;
use crate::lower::thread::Lower;
use crate::lower::warpgroup;
use crate::lower::warpgroup_product::Accumulation;
use crate::parse::{AsyncGroup, TensorPipeline, TensorPipelineKind};
use crate::test::{LitmusError, LoadedAddress};
use memory_model::{Access, Location, ModelAddress, ModelInstruction, ModelOperand, Observable, ThreadPosition};
use std::ops::Range;

/// The lanes of tensor memory that a warp accesses.
const WARP_LANES: u64 = 32;
/// The columns that a matrix in tensor memory has at most in one product.
const INPUT_COLUMNS: u64 = 8;
/// The bits of an instruction descriptor with the columns of the product, in units of eight.
const PRODUCT_COLUMNS: (u32, u64) = (17, 0x3f);

/// Lowers an instruction of tensor memory; `None` if it is none.
pub fn tensor_memory(lower: &mut Lower<'_>, source: &SourceInstruction) -> Option<Result<(), LitmusError>> {
    let words: Vec<&str> = source.words.iter().map(String::as_str).collect();
    Some(match words[..] {
        ["tcgen05", "alloc", ..] => allocate(lower, source),
        ["tcgen05", "dealloc" | "relinquish_alloc_permit", ..] => Ok(()),
        ["tcgen05", "ld", "sync", "aligned", "32x32b", _, "b32"] => load_tensor(lower, source),
        ["tcgen05", "st", "sync", "aligned", "32x32b", _, "b32"] => store_tensor(lower, source),
        ["tcgen05", "wait::ld", ..] => wait_for_tensors(lower, source, AsyncGroup::TensorLoad),
        ["tcgen05", "wait::st", ..] => wait_for_tensors(lower, source, AsyncGroup::TensorStore),
        ["tcgen05", "fence::before_thread_sync"] => {
            let fence = lower.operations.release_tensors(lower.number);
            lower.push(source, fence);
            Ok(())
        }
        ["tcgen05", "fence::after_thread_sync"] => {
            lower.push(source, ModelInstruction::AcquireOperations);
            Ok(())
        }
        // What it does in the other CTA of the pair is not followed.
        ["tcgen05", "mma" | "cp", "cta_group::2", ..] => Err(source.unsupported()),
        ["tcgen05", "mma", _, _] => multiply_tensors(lower, source),
        ["tcgen05", "cp", _, "128x256b" | "4x256b" | "128x128b" | "64x128b" | "32x128b", ..] => {
            copy_to_tensor(lower, source)
        }
        ["tcgen05", "commit", ..] => commit_tensors(lower, source),
        ["tcgen05", ..] => Err(source.unsupported()),
        _ => return None,
    })
}

/// A register for what a load sees of an address that an allocation writes to a variable.
pub fn loaded_address(lower: &mut Lower<'_>, variable: &str) -> usize {
    let same = lower.test.loaded_addresses.iter().filter(|one| one.variable == variable).count();
    let number = if same == 0 { String::new() } else { format!(" {}", same + 1) };
    let register = lower.register(&format!("[{variable}]{number}"));
    let loaded =
        LoadedAddress { register: Observable::Register(lower.number, register), variable: variable.to_owned() };
    lower.test.loaded_addresses.push(loaded);
    register
}

/// The variable that an instruction accesses and the address that an allocation writes there, if one does.
pub fn allocated_address(lower: &mut Lower<'_>, source: &SourceInstruction, at: usize) -> Option<(String, u64)> {
    if lower.tensors.allocations.is_empty() {
        return None;
    }
    let (base, offset) = lower.address_parts(source, at).ok()?;
    let base = lower.test.program.threads[lower.number].static_value(base)? as u64;
    let allocations = lower.tensors.allocations.clone();
    let is_slot = |name: &str| {
        let key = lower.key(name);
        let slot = lower.test.program.locations.iter().find(|location| location.name == key);
        slot.is_some_and(|slot| slot.address == base.wrapping_add_signed(offset))
    };
    allocations.into_iter().find(|(name, _)| is_slot(name))
}

/// `tcgen05.alloc`: the address is written through the generic proxy.
fn allocate(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let at = lower.address(source, 0, PRODUCT_BYTES)?;
    let (_, column) = allocated_address(lower, source, 0).ok_or_else(|| {
        let help = "write the address to a shared variable of the module".to_owned();
        LitmusError { help, ..source.error("address of the allocation is written to no shared variable".to_owned()) }
    })?;
    let value = ModelOperand::Constant(column.into());
    lower.push(source, ModelInstruction::Store { at, value, bytes: PRODUCT_BYTES, access: Access::weak() });
    Ok(())
}

fn load_tensor(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let registers = registers(source, 0)?;
    let to = lower.register(registers[0]);
    if let Some(other) = registers[1..].iter().find(|register| **register != "_" && uses(lower, register)) {
        let help = "use the first register alone: only that one has a value".to_owned();
        let message = format!("`{other}` is not the first register of the load, and another instruction uses it");
        return Err(LitmusError { help, ..source.error(message) });
    }
    let at = tensor(lower, source, 1, registers.len() as u64)?;
    let result = register_location(lower);
    let [load, store] = moved(at, result);
    lower.issue_code(source, AsyncGroup::TensorLoad, vec![load, store]);
    let (bytes, access) = (PRODUCT_BYTES, Access::weak());
    lower.push(source, ModelInstruction::Load { to: Some(to), at: result, bytes, access });
    Ok(())
}

/// Whether an instruction of the function uses a register, but as one after the first of a tile.
fn uses(lower: &Lower<'_>, register: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '%');
    let names = |text: &str| text.split(|c| !is_of_name(c)).any(|name| name == register);
    lower.body.code.iter().map(SourceInstruction::new).any(|one| {
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

fn store_tensor(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let registers = registers(source, 1)?;
    let at = tensor(lower, source, 0, registers.len() as u64)?;
    let value = match crate::parse::number(registers[0]) {
        Some(value) => ModelOperand::Constant(value),
        None => ModelOperand::Register(lower.register(registers[0])),
    };
    let passed = register_location(lower);
    let (bytes, access) = (PRODUCT_BYTES, Access::weak());
    lower.push(source, ModelInstruction::Store { at: passed, value, bytes, access });
    let [load, store] = moved(passed, at);
    lower.issue_code(source, AsyncGroup::TensorStore, vec![load, store]);
    Ok(())
}

fn wait_for_tensors(lower: &mut Lower<'_>, source: &SourceInstruction, kind: AsyncGroup) -> Result<(), LitmusError> {
    let wait = lower.operations.wait_for_tensors(lower.number, kind);
    lower.push(source, wait);
    Ok(())
}

/// `tcgen05.mma [d], a, b, idesc, enable-input-d`, where `a` is a descriptor or in tensor memory.
fn multiply_tensors(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    if source.operands.len() != 5 {
        return Err(source.unsupported());
    }
    let descriptor = lower.number_operand(source, 3)? as u64;
    let columns = (descriptor >> PRODUCT_COLUMNS.0 & PRODUCT_COLUMNS.1) * 8;
    let to = tensor(lower, source, 0, columns.max(1))?;
    let input = match source.operands[1].0.starts_with('[') {
        true => Some(tensor(lower, source, 1, INPUT_COLUMNS)?),
        false => None,
    };
    let mut shared = Vec::new();
    for at in (1 + usize::from(input.is_some()))..3 {
        shared.push(warpgroup::matrix(lower, source, at)?);
    }
    let mut tensors: Vec<ModelAddress> = input.into_iter().collect();
    if warpgroup::accumulation(lower, source, 4, "enable-input-d")? == Accumulation::Adds {
        tensors.push(to);
    }
    issue_product(lower, source, to, (shared, tensors), TensorPipelineKind::Product(input));
    Ok(())
}

/// `tcgen05.cp [d], descriptor`.
fn copy_to_tensor(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let columns = if source.words[3].ends_with("256b") { 8 } else { 4 };
    let to = tensor(lower, source, 0, columns)?;
    let from = warpgroup::matrix(lower, source, 1)?;
    issue_product(lower, source, to, (vec![from], Vec::new()), TensorPipelineKind::Copy);
    Ok(())
}

/// Issues an operation that later ones may be executed after in the order of their issue.
fn issue_product(
    lower: &mut Lower<'_>,
    source: &SourceInstruction,
    to: ModelAddress,
    (shared, tensors): (Vec<u64>, Vec<ModelAddress>),
    kind: TensorPipelineKind,
) {
    let pipeline = TensorPipeline { group: source.words.get(2).cloned(), written: to, kind };
    let after = lower.operations.executed_before(lower.number, &pipeline);
    let value = CopiedValue::Product(Product { after, shared, tensors });
    let ModelAddress::Location(at) = to else { return };
    let to = constant_address(lower.test.program.locations[at].address);
    let shape = CopiedShape::Bytes(PRODUCT_BYTES.into());
    let operation = lower.issue(source, Some(AsyncGroup::Tcgen05), (to, value, shape), |copy| copy);
    lower.operations.set_pipeline(operation, pipeline);
}

/// `tcgen05.commit`: an arrival at each mbarrier when the earlier products and copies have ended.
fn commit_tensors(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let is_multicast = source.has("multicast::cluster");
    let ranks: Vec<Option<u32>> = match is_multicast {
        true => {
            let mask = lower.number_operand(source, 1)?;
            (0..u16::BITS).filter(|rank| mask >> rank & 1 == 1).map(Some).collect()
        }
        false => vec![None],
    };
    for rank in ranks {
        if let Some(rank) = rank {
            lower.check_rank(source, rank.into())?;
        }
        let before = lower.operations.before_commit(lower.number);
        let (base, offset) = lower.address_parts(source, 0)?;
        let to = CopiedAddress { base, offset, space: None };
        let value = (to, CopiedValue::Arrival(before), CopiedShape::Bytes(MBARRIER_BYTES.into()));
        lower.issue(source, None, value, |copy| crate::lower::copies::UnresolvedCopy { rank, ..copy });
    }
    Ok(())
}

/// The location of the columns that an operation accesses.
fn tensor(
    lower: &mut Lower<'_>,
    source: &SourceInstruction,
    at: usize,
    columns: u64,
) -> Result<ModelAddress, LitmusError> {
    let (base, offset) = lower.address_parts(source, at)?;
    let help = "compute it from what `tcgen05.alloc` writes to a shared variable, or from a number".to_owned();
    let unknown = LitmusError { help, ..source.error("address in tensor memory is not constant".to_owned()) };
    let address = (lower.constant(base, unknown)? as u64).wrapping_add_signed(offset);
    let (lane, first) = (address >> 16, address & 0xffff);
    if lane >= WARP_LANES {
        let help = "use lanes 0..32: one warp stands for all".to_owned();
        return Err(LitmusError { help, ..source.error(format!("access to lane {lane} of tensor memory")) });
    }
    let place = lower.test.program.threads[lower.number].place;
    let new = first..first + columns;
    let overlaps = |(cta, known): &(ThreadPosition, Range<u64>)| {
        *cta == place && known.start != new.start && known.start < new.end && new.start < known.end
    };
    if let Some((_, known)) = lower.tensors.accessed.iter().find(|one| overlaps(one)) {
        let help = "let all operations on a matrix begin at its first column".to_owned();
        let message = format!(
            "columns {}..{} and {}..{} of tensor memory overlap, but do not begin at the same column",
            known.start, known.end, new.start, new.end
        );
        return Err(LitmusError { help, ..source.error(message) });
    }
    lower.tensors.accessed.push((place, new));
    let name = shared_key(lower.test, &format!("column {first}"), place);
    let locations = &lower.test.program.locations;
    let known = locations.iter().position(|location| location.name == name);
    Ok(ModelAddress::Location(known.unwrap_or_else(|| new_location(lower, name))))
}

/// A new location that stands for a register of an operation.
fn register_location(lower: &mut Lower<'_>) -> ModelAddress {
    let at = new_location(lower, format!("(register {})", lower.test.program.locations.len()));
    lower.test.program.locations[at].is_register = true;
    ModelAddress::Location(at)
}

fn new_location(lower: &mut Lower<'_>, name: String) -> usize {
    let locations = &mut lower.test.program.locations;
    let highest = locations.iter().map(|location| location.address / SYMBOL_STRIDE).max().unwrap_or(0);
    let address = (highest + 1) * SYMBOL_STRIDE;
    locations.push(Location { name, address, bytes: PRODUCT_BYTES, ..Location::default() });
    locations.len() - 1
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
