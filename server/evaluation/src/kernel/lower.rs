//! Lowers a kernel and the functions that it reaches.

use super::bounds::LaunchBounds;
use super::function::{FunctionLowering, LoweredFunction};
use super::module::{FunctionItem, ModuleLowering};
use super::{Kernel, KernelError};
use emulator::machine::{AddressSize, Formals, GlobalMemory, MachineFunction, MachineProgram, ThreadScheduling};
use std::collections::BTreeSet;
use syntax::{LintFile, Number};

/// The first target whose lanes make progress independently.
const VOLTA: u16 = 70;

/// Lowers a kernel, and others that run at the same time.
pub fn lower(file: &LintFile, module: isa::Module, name: &str, beside: &[&str]) -> Result<Kernel, KernelError> {
    let items = file.module_items();
    let addresses = address_size(file);
    let mut lowering = ModuleLowering::new(module, addresses);
    let mut memory = GlobalMemory::new(addresses);
    let mut data = Vec::new();
    for item in &items {
        let Some(head) = item.head() else { continue };
        if let Some(head) = head.function() {
            lowering.declare_function(FunctionItem { head, item: *item });
        } else if let Some(variables) = head.variable() {
            for declarator in &variables.declarators {
                lowering.declare_variable(&variables.storage, declarator, &mut memory, item.range())?;
                data.extend(
                    declarator.value.map(|at| (variables.storage.clone(), declarator.clone(), at, item.range())),
                );
            }
        }
    }
    let index = lowering.kernel(name)?;
    let others = beside.iter().map(|other| lowering.kernel(other).map(|index| index as usize));
    let beside = others.collect::<Result<_, _>>()?;
    let bounds = lowering.function_item(name).map(|item| LaunchBounds::of(&item.head)).unwrap_or_default();
    for (storage, declarator, at, item) in data {
        let text = file.slice(&(at..item.end));
        lowering.initialize(
            &storage,
            &declarator,
            text.trim_end_matches([';', ' ', '\n', '\t', '\r']),
            &mut memory,
            at,
        )?;
    }
    let mut used_parameters = BTreeSet::new();
    let (mut functions, mut places, mut registers, mut names) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    while let Some(name) = lowering.named_function(functions.len()).map(str::to_owned) {
        let lowered = lower_function(&mut lowering, &name, functions.len());
        functions.push(lowered.function);
        places.push(lowered.places);
        registers.push(lowered.registers);
        names.push(lowered.names);
        if functions.len() == index as usize + 1 {
            used_parameters = lowered.used_parameters;
        }
    }
    let static_shared = lowering.place_dynamic_shared(&mut functions);
    let variables = lowering.named_variables(static_shared);
    let lanes = module.target.is_none_or(|target| target.number() >= VOLTA);
    let scheduling = if lanes { ThreadScheduling::Independent } else { ThreadScheduling::Lockstep };
    let uses_dynamic_shared = !lowering.dynamic.is_empty();
    let program = MachineProgram { functions, static_shared, uses_dynamic_shared, scheduling, addresses };
    let index = index as usize;
    Ok(Kernel { program, index, beside, memory, bounds, places, registers, names, variables, used_parameters })
}

/// The size of the addresses of a module: 32 bits only if its directive says so.
fn address_size(file: &LintFile) -> AddressSize {
    let size = file.header().address_size.and_then(|size| Number::integer(&size.text));
    if size == Some(32) { AddressSize::Bits32 } else { AddressSize::Bits64 }
}

fn lower_function(lowering: &mut ModuleLowering, name: &str, index: usize) -> LoweredFunction {
    let Some(FunctionItem { head, item }) = lowering.function_item(name) else {
        let function =
            MachineFunction { name: name.to_owned(), formals: Formals::default(), ..MachineFunction::default() };
        return LoweredFunction { function, ..LoweredFunction::default() };
    };
    let (head, item) = (head.clone(), *item);
    FunctionLowering::new(lowering, index, &head).lower(&head, &item)
}
