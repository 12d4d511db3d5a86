//! Lowers a kernel and the functions that it reaches.

use crate::arguments::bounds::LaunchBounds;
use crate::lower::function::{FunctionLowering, LoweredFunction};
use crate::module::data::value_range;
use crate::module::kernel_module::{DynamicAddress, FunctionItem, ModuleLowering};
use crate::module::sizes::module_bytes;
use crate::reports::debug_names::NamedVariable;
use crate::{Kernel, KernelError, SourceParameter, SourceVariable};
use isa::target::Target;
use machine::GlobalMemory;
use program::{AddressSize, CallTarget, Formals, MachineFunction, MachineProgram, ThreadScheduling};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use syntax::{LintFile, Number};

/// The first target whose lanes make progress independently.
const VOLTA: u16 = 70;

/// A module whose kernels can be lowered, one after another.
pub struct KernelModule<'f> {
    file: &'f LintFile,
    module: isa::Module,
    reading: ModuleReading,
    /// Read on demand: the memory of its variables may be too large for some uses.
    declared: Option<Result<DeclaredModule<'f>, KernelError>>,
    variable_bytes: OnceCell<u64>,
    names: OnceCell<Vec<String>>,
    source_names: SourceNames,
}

/// The parameters of the kernels of a source, by the names of the kernels in the module.
pub type SourceParameters = BTreeMap<String, Vec<SourceParameter>>;

/// The names that the source of a module has.
#[derive(Clone, Debug, Default)]
pub struct SourceNames {
    /// Those of parameters.
    pub parameters: SourceParameters,
    /// The variables that it declares.
    pub variables: Vec<SourceVariable>,
}

/// How often a module is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModuleReading {
    /// For each kernel, so that the memory of its variables exists once.
    Anew,
    /// Once for all kernels.
    Once,
}

/// The functions and variables of a module.
struct DeclaredModule<'f> {
    lowering: ModuleLowering<'f>,
    /// The variables with their initial values.
    memory: GlobalMemory,
    /// A value that is not understood.
    invalid_value: Option<KernelError>,
    /// The functions whose addresses are values, in the order of the text.
    stored_functions: Vec<String>,
}

impl<'f> KernelModule<'f> {
    /// A module of which few kernels are lowered.
    pub fn of(file: &'f LintFile, module: isa::Module) -> Self {
        Self::new(file, module, ModuleReading::Anew)
    }

    /// A module of which many kernels are lowered, or one often.
    pub fn of_many(file: &'f LintFile, module: isa::Module) -> Self {
        Self::new(file, module, ModuleReading::Once)
    }

    fn new(file: &'f LintFile, module: isa::Module, reading: ModuleReading) -> Self {
        KernelModule {
            file,
            module,
            reading,
            declared: None,
            variable_bytes: OnceCell::new(),
            names: OnceCell::new(),
            source_names: SourceNames::default(),
        }
    }

    /// The same with the names of its source.
    pub fn with_source_names(self, source_names: &SourceNames) -> Self {
        KernelModule { source_names: source_names.clone(), ..self }
    }

    /// The names of its kernels.
    pub fn names(&self) -> &[String] {
        self.names.get_or_init(|| Kernel::names(self.file))
    }

    /// The bytes of its variables.
    pub fn variable_bytes(&self) -> u64 {
        *self.variable_bytes.get_or_init(|| module_bytes(self.file))
    }

    /// Lowers a kernel, and others that run at the same time.
    ///
    /// # Errors
    /// [`KernelError`] if there is no such kernel, or a variable has no known size or value.
    pub fn lower(&mut self, name: &str, beside: &[&str]) -> Result<Kernel, KernelError> {
        let mut kernel = self.lower_declared(name, beside)?;
        let indices = std::iter::once((name, kernel.index)).chain(beside.iter().copied().zip(kernel.beside.clone()));
        for (name, index) in indices {
            let parameters = &mut kernel.program.functions[index].parameters;
            let known = self.source_names.parameters.get(name).filter(|known| known.len() == parameters.len());
            for (parameter, known) in parameters.iter_mut().zip(known.into_iter().flatten()) {
                parameter.name.clone_from(&known.name);
            }
            if index == kernel.index {
                kernel.source_parameters = known.cloned().unwrap_or_default();
            }
        }
        kernel.source_variables.clone_from(&self.source_names.variables);
        Ok(kernel)
    }

    /// Lowers a kernel without the memory of the variables of its module: it can be analysed, not run.
    ///
    /// # Errors
    /// [`KernelError`] if there is no such kernel, or a variable has no known size or value.
    pub fn lower_code(&mut self, name: &str) -> Result<Kernel, KernelError> {
        let declare = || DeclaredModule::of(self.file, self.module);
        match self.declared.get_or_insert_with(declare) {
            Ok(declared) => declared.lower(GlobalMemory::new(declared.lowering.addresses), name, &[]),
            Err(error) => Err(error.clone()),
        }
    }

    fn lower_declared(&mut self, name: &str, beside: &[&str]) -> Result<Kernel, KernelError> {
        let declare = || DeclaredModule::of(self.file, self.module);
        if self.reading == ModuleReading::Anew {
            let mut declared = declare()?;
            let memory = std::mem::take(&mut declared.memory);
            return declared.lower(memory, name, beside);
        }
        match self.declared.get_or_insert_with(declare) {
            Ok(declared) => declared.lower(declared.memory.clone(), name, beside),
            Err(error) => Err(error.clone()),
        }
    }
}

impl<'f> DeclaredModule<'f> {
    fn of(file: &'f LintFile, module: isa::Module) -> Result<Self, KernelError> {
        let addresses = address_size(file);
        let mut lowering = ModuleLowering::new(module, addresses);
        let mut memory = GlobalMemory::new(addresses);
        let mut data = Vec::new();
        for item in file.module_items() {
            let Some(head) = item.head() else { continue };
            if let Some(head) = head.function() {
                lowering.declare_function(FunctionItem { head, item });
            } else if let Some(variables) = head.variable() {
                let declarators = &variables.declarators;
                for (number, declarator) in declarators.iter().enumerate() {
                    lowering.declare_variable(&variables.storage, declarator, &mut memory, item.range())?;
                    let value = value_range(declarators, number, item.range().end);
                    data.extend(value.map(|value| (variables.storage.clone(), declarator.clone(), value)));
                }
            }
        }
        let mut values = data.into_iter();
        let invalid_value = values.find_map(|(storage, declarator, value)| {
            lowering.initialize(&storage, &declarator, &file.slice(&value), &mut memory, value.start).err()
        });
        let stored_functions = lowering.take_named_functions();
        Ok(DeclaredModule { lowering, memory, invalid_value, stored_functions })
    }

    fn lower(&mut self, memory: GlobalMemory, name: &str, beside: &[&str]) -> Result<Kernel, KernelError> {
        self.lowering.check_kernel(name)?;
        beside.iter().try_for_each(|other| self.lowering.check_kernel(other))?;
        if let Some(error) = &self.invalid_value {
            return Err(error.clone());
        }
        let lowering = &mut self.lowering;
        lowering.restart();
        lowering.has_function_addresses = !self.stored_functions.is_empty();
        let index = lowering.function_index(name) as usize;
        for stored in &self.stored_functions {
            lowering.function_index(stored);
        }
        lower(lowering, memory, (name, index), beside)
    }
}

fn lower(
    lowering: &mut ModuleLowering,
    memory: GlobalMemory,
    (name, index): (&str, usize),
    beside: &[&str],
) -> Result<Kernel, KernelError> {
    let (module, addresses) = (lowering.module, lowering.addresses);
    let bounds = lowering.function_item(name).map(|item| LaunchBounds::of(&item.head)).unwrap_or_default();
    let mut kernels = vec![name];
    beside.iter().for_each(|other| {
        if !kernels.contains(other) {
            kernels.push(other)
        }
    });
    let LoweredKernels { mut lowered, indices, variables } = lower_kernels(lowering, &kernels);
    // Measured: the assembler does not count what only a call of an address reaches.
    if let Some(target) = module.target.filter(|_| !lowering.has_function_addresses) {
        for (kernel, at) in kernels.iter().zip(&indices) {
            check_static_shared(lowering, kernel, &lowered[*at].function, target)?;
        }
    }
    let index_of = |other: &&str| kernels.iter().position(|known| known == other).map(|at| indices[at]);
    let beside = beside.iter().filter_map(index_of).collect();
    let used_parameters = std::mem::take(&mut lowered[index].used_parameters);
    let shared_addresses = std::mem::take(&mut lowered[index].shared_addresses);
    let lanes = module.target.is_none_or(|target| target.number() >= VOLTA);
    let scheduling = if lanes { ThreadScheduling::Independent } else { ThreadScheduling::Lockstep };
    let (mut functions, mut places, mut registers, mut names) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for one in lowered {
        functions.push(one.function);
        places.push(one.places);
        registers.push(one.registers);
        names.push(one.names);
    }
    let program = MachineProgram { functions, scheduling, addresses };
    let (source_variables, source_parameters) = (Vec::new(), Vec::new());
    Ok(Kernel {
        program,
        index,
        beside,
        memory,
        bounds,
        places,
        registers,
        names,
        variables,
        source_variables,
        source_parameters,
        used_parameters,
        shared_addresses,
    })
}

/// Checks that a kernel has no more static shared memory than its target.
fn check_static_shared(
    lowering: &ModuleLowering,
    kernel: &str,
    function: &MachineFunction,
    target: Target,
) -> Result<(), KernelError> {
    let (bytes, limit) = (u64::from(function.shared.static_bytes), target.max_static_shared());
    match lowering.function_item(kernel).filter(|_| bytes > limit) {
        Some(item) => {
            let message = format!(
                "static shared memory of kernel `{kernel}` has {bytes} bytes; {target} supports at most {limit}, and more as dynamic shared memory"
            );
            Err(KernelError { range: item.head.name.range.clone(), message })
        }
        None => Ok(()),
    }
}

/// Kernels with the functions that they reach.
#[derive(Default)]
struct LoweredKernels {
    lowered: Vec<LoweredFunction>,
    /// The indices of the kernels.
    indices: Vec<usize>,
    /// The variables of the first one.
    variables: Vec<NamedVariable>,
}

/// Lowers kernels with the functions that they reach. Each kernel has its own shared memory, and its own copies of the functions, unless the address
/// of a function is taken: any of the kernels may call that one.
fn lower_kernels(lowering: &mut ModuleLowering, kernels: &[&str]) -> LoweredKernels {
    if kernels.len() > 1 && !lowering.has_function_addresses {
        let apart = lower_groups(lowering, kernels.chunks(1));
        if !lowering.has_function_addresses {
            return apart;
        }
        // An instruction takes an address, which is known only now.
        lowering.restart();
    }
    lower_groups(lowering, [kernels].into_iter())
}

/// Lowers groups of kernels that share the addresses of their variables in shared memory.
fn lower_groups<'a>(lowering: &mut ModuleLowering, groups: impl Iterator<Item = &'a [&'a str]>) -> LoweredKernels {
    let mut all = LoweredKernels::default();
    for (number, group) in groups.enumerate() {
        if number > 0 {
            lowering.begin_shared_memory();
        }
        let own: Vec<usize> = group.iter().map(|name| lowering.function_index(name) as usize).collect();
        let first = all.lowered.len();
        lower_named(lowering, &mut all.lowered);
        if all.lowered[first..].iter().any(calls_address) {
            lowering.lower_stored_functions();
            lower_named(lowering, &mut all.lowered);
        }
        let shared = lowering.shared_memory();
        for DynamicAddress { function, constant } in &lowering.dynamic {
            for value in &mut all.lowered[*function].function.constants[*constant] {
                *value += u64::from(shared.static_bytes);
            }
        }
        own.iter().for_each(|kernel| all.lowered[*kernel].function.shared = shared);
        if number == 0 {
            all.variables = lowering.named_variables(shared.static_bytes);
        }
        all.indices.extend(own);
    }
    all
}

/// Lowers the functions that were named, and those that they name.
fn lower_named(lowering: &mut ModuleLowering, lowered: &mut Vec<LoweredFunction>) {
    while let Some(name) = lowering.named_function(lowered.len()).map(str::to_owned) {
        let mut function = lower_function(lowering, &name, lowered.len());
        function.function.number = lowering.function_number(&name);
        lowered.push(function);
    }
}

/// Whether a function calls what has an address.
fn calls_address(function: &LoweredFunction) -> bool {
    let calls = function.function.code.iter().filter_map(|instruction| instruction.action.flow().call());
    calls.into_iter().any(|call| matches!(call.target, CallTarget::Register(_)))
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
