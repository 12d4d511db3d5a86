//! Lowers `wgmma`. One thread stands for the warpgroup, the first elements of the matrices for all of them, and their sum for the product: the first
//! register of the accumulator gets it when the thread waits.

use crate::lower::copies::{CopiedAddress, CopiedShape, CopiedValue, PRODUCT_BYTES, Product};
use crate::lower::shared_variables::{SYMBOL_STRIDE, WINDOW, described};
use crate::lower::source_instruction::SourceInstruction;
use crate::lower::thread::Lower;
use crate::lower::warpgroup_product::{Accumulation, PendingProduct};
use crate::parse::AsyncGroup;
use crate::test::LitmusError;
use memory_model::arithmetic::{Alu, AluOp};
use memory_model::{Access, AwaitedPart, Location, ModelAddress, ModelInstruction, ModelOperand};

/// The bits of a descriptor that are an address, in units of so many bytes.
const ADDRESS_BITS: u64 = 0x3fff;
/// The unit of addresses in descriptors.
const ADDRESS_UNIT: u64 = 16;

/// Lowers an instruction of a warpgroup; `None` if it is none.
pub fn warpgroup(lower: &mut Lower<'_>, source: &SourceInstruction) -> Option<Result<(), LitmusError>> {
    let words: Vec<&str> = source.words.iter().map(String::as_str).collect();
    Some(match words[..] {
        ["wgmma", "fence", ..] => {
            let at = lower.next_index();
            lower.operations.fence(lower.number, at);
            lower.push(source, ModelInstruction::IssueFence);
            Ok(())
        }
        ["wgmma", "commit_group", ..] => lower.commit(source, AsyncGroup::Wgmma),
        ["wgmma", "wait_group", ..] => wait_for_products(lower, source),
        ["wgmma", "mma_async", "sync", ..] => multiply(lower, source),
        _ => return None,
    })
}

/// `wgmma.mma_async {d, …}, a, b, scale, …`, where `a` is a descriptor or registers.
fn multiply(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let [(accumulator, _), (a, _), (_, _), ..] = &source.operands[..] else { return Err(source.unsupported()) };
    let is_in_registers = a.starts_with('{');
    let first = accumulator.trim_matches(['{', '}']).split(',').next().unwrap_or_default().to_owned();
    let mut addresses = Vec::new();
    for at in usize::from(is_in_registers)..2 {
        addresses.push(matrix(lower, source, at + 1)?);
    }
    let accumulation = accumulation(lower, source, 3, "scale-d")?;
    let register = lower.register(&first);
    let locations = &mut lower.test.program.locations;
    let highest = locations.iter().map(|location| location.address / SYMBOL_STRIDE).max().unwrap_or(0);
    let address = (highest + 1) * SYMBOL_STRIDE;
    let name = format!("{}:{first}", lower.test.program.threads[lower.number].name);
    locations.push(Location { name, address, bytes: PRODUCT_BYTES, ..Location::default() });
    let location = locations.len() - 1;
    let group = lower.operations.committed(lower.number, AsyncGroup::Wgmma);
    lower.products.push(PendingProduct { group, register, location, accumulation });
    let to = CopiedAddress { base: ModelOperand::Constant(address.into()), offset: 0, space: None };
    let shape = CopiedShape::Bytes(PRODUCT_BYTES.into());
    lower
        .issue(source, Some(AsyncGroup::Wgmma), (to, CopiedValue::Product(Product::of(addresses)), shape), |copy| copy);
    Ok(())
}

/// What a product does with the accumulator, by an operand of this name.
pub fn accumulation(
    lower: &mut Lower<'_>,
    source: &SourceInstruction,
    at: usize,
    name: &str,
) -> Result<Accumulation, LitmusError> {
    let operand = lower.operand(source, at)?;
    match lower.test.program.threads[lower.number].static_value(operand) {
        Some(0) => Ok(Accumulation::Replaces),
        Some(_) => Ok(Accumulation::Adds),
        None => {
            let help = "write 0 or 1, or set the predicate once".to_owned();
            Err(LitmusError { help, ..source.error(format!("{name} is not a constant")) })
        }
    }
}

/// The address of a matrix by its descriptor.
pub fn matrix(lower: &mut Lower<'_>, source: &SourceInstruction, at: usize) -> Result<u64, LitmusError> {
    let descriptor = lower.number_operand(source, at)? as u64;
    let low = (descriptor & ADDRESS_BITS) * ADDRESS_UNIT;
    let variables = || lower.symbols.iter().filter(|(_, symbol)| symbol.shared);
    if variables().any(|(_, symbol)| symbol.window.end > WINDOW) {
        let help = "declare fewer shared variables".to_owned();
        let message = "shared variables take more than the 256 KiB that descriptors can address".to_owned();
        return Err(LitmusError { help, ..source.error(message) });
    }
    let mut found = variables().filter_map(|(name, symbol)| {
        let key = lower.key(name);
        let start = lower.test.program.locations.iter().find(|location| location.name == key)?.address;
        described(start, &symbol.window, low)
    });
    // Two variables of unknown size may be the same bytes.
    let only = found.next().filter(|_| found.next().is_none());
    only.ok_or_else(|| {
        let help = "compute the descriptor from the address of a shared variable of the module".to_owned();
        LitmusError { help, ..source.error(format!("descriptor {descriptor:#x} is of no shared variable")) }
    })
}

/// `wgmma.wait_group N`: the products of all but the last N groups are in the accumulators.
fn wait_for_products(lower: &mut Lower<'_>, source: &SourceInstruction) -> Result<(), LitmusError> {
    let left = lower.number_operand(source, 0)?;
    let before = lower.operations.committed(lower.number, AsyncGroup::Wgmma).saturating_sub(left as usize);
    let operations = lower.operations.awaited(lower.number, AsyncGroup::Wgmma, before, AwaitedPart::All);
    lower.push(source, ModelInstruction::Await { operations });
    let (ended, pending) = std::mem::take(&mut lower.products).into_iter().partition(|one| one.group < before);
    lower.products = pending;
    let ended: Vec<PendingProduct> = ended;
    for PendingProduct { register, location, accumulation, .. } in ended {
        let at = ModelAddress::Location(location);
        let (bytes, access) = (PRODUCT_BYTES, Access::weak());
        if accumulation == Accumulation::Replaces {
            lower.push(source, ModelInstruction::Load { to: Some(register), at, bytes, access });
            continue;
        }
        let product = lower.register("(product)");
        lower.push(source, ModelInstruction::Load { to: Some(product), at, bytes, access });
        let [a, b] = [register, product].map(ModelOperand::Register);
        lower.push(source, ModelInstruction::Compute { to: register, alu: Alu::litmus(AluOp::Add), a, b });
    }
    Ok(())
}
