//! Kernels of PTX modules, lowered to programs of the machine.
//!
//! Only what a kernel can reach is lowered. An instruction that the machine does not have becomes one that ends the run with its place, so that a
//! kernel runs as long as it does not meet it.

pub mod any_size;
pub mod arguments;
mod assumptions;
pub mod claims;
pub mod execution;
pub mod expression;
pub mod graph;
pub mod lower;
pub mod modelled;
mod module;
pub mod races;
pub mod repairs;
pub mod reports;
pub mod stream;

use crate::arguments::bounds::LaunchBounds;
pub use crate::arguments::source_parameter::SourceParameter;
pub use crate::assumptions::HardwareAssumption;
use crate::lower::function::SharedAddress;
pub use crate::lower::kernel_lowering::{KernelModule, SourceNames, SourceParameters};
pub use crate::module::names::RegisterNames;
pub use crate::reports::debug_names::{FunctionNames, NamedRegister, NamedVariable};
pub use crate::reports::source_variables::SourceVariable;
use machine::GlobalMemory;
use program::{CodePlace, KernelParameter, MachineInstruction, MachineProgram, Problem, ProblemKind};
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::LintFile;
use values::matrix::ArithmeticSource;

/// A kernel that can run.
#[derive(Debug)]
pub struct Kernel {
    /// The program.
    pub program: MachineProgram,
    /// The index of the kernel among its functions.
    pub index: usize,
    /// The indices of the kernels that run at the same time.
    pub beside: Vec<usize>,
    /// The memory with the variables of the module.
    pub memory: GlobalMemory,
    /// What its directives say about its launch.
    pub bounds: LaunchBounds,
    /// The byte range of each instruction of each function.
    pub places: Vec<Vec<Range<usize>>>,
    /// The names of the registers of each function.
    pub registers: Vec<RegisterNames>,
    /// The names of each function.
    pub names: Vec<FunctionNames>,
    /// The variables of the module.
    pub variables: Vec<NamedVariable>,
    /// Variables as the source of the module declares them.
    pub source_variables: Vec<SourceVariable>,
    /// Its parameters as the source declares them, if they are known.
    pub source_parameters: Vec<SourceParameter>,
    /// The offsets of the parameters that the instructions of the kernel name.
    pub used_parameters: BTreeSet<u64>,
    /// The constants of its function that are addresses in variables of shared memory.
    shared_addresses: Vec<SharedAddress>,
}

/// Why a kernel cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelError {
    /// The place in the text.
    pub range: Range<usize>,
    /// The message, without a full stop.
    pub message: String,
}

impl Kernel {
    /// Lowers a kernel of a module.
    ///
    /// # Errors
    /// [`KernelError`] if there is no such kernel, or a variable has no known size or value.
    pub fn lower(file: &LintFile, module: isa::Module, name: &str) -> Result<Self, KernelError> {
        KernelModule::of(file, module).lower(name, &[])
    }

    /// The names of the kernels of a module.
    pub fn names(file: &LintFile) -> Vec<String> {
        Self::named(file).into_iter().map(|(name, _)| name).collect()
    }

    /// The kernels of a module, each with the range of its name.
    pub fn named(file: &LintFile) -> Vec<(String, Range<usize>)> {
        module::kernel_module::kernels(file)
    }

    /// Whether the kernel uses a parameter. One that it does not needs no argument.
    pub fn uses(&self, parameter: &KernelParameter) -> bool {
        self.used_parameters.contains(&u64::from(parameter.offset))
    }

    /// The parameters and variables in scope at an instruction, those of the function before those of the module.
    pub fn variables_at(&self, place: CodePlace) -> impl Iterator<Item = &NamedVariable> {
        let own = self.names.get(place.function as usize).into_iter().flat_map(|names| &names.variables);
        own.filter(move |one| one.scope.contains(&place.instruction)).chain(&self.variables)
    }

    /// A parameter as the source declares it.
    pub(crate) fn source_parameter(&self, name: &str) -> Option<&SourceParameter> {
        self.source_parameters.iter().find(|one| one.name == name)
    }

    /// The parameters.
    pub fn parameters(&self) -> &[KernelParameter] {
        &self.program.functions[self.index].parameters
    }

    /// The name of a register slot; `None` for intermediate values.
    pub fn register_name(&self, function: u32, slot: u32) -> Option<String> {
        self.registers.get(function as usize)?.name(slot)
    }

    /// The message of a problem, with the names of registers.
    pub fn problem_message(&self, problem: &Problem) -> String {
        let register = match problem.kind {
            ProblemKind::UninitializedRegister { slot } => self.register_name(problem.place.function, slot),
            _ => None,
        };
        register.map_or_else(|| problem.kind.to_string(), |name| format!("use of `{name}`, which has no defined value"))
    }

    /// Whether it has a product of matrices whose arithmetic was published for its target, and not measured.
    pub fn has_published_arithmetic(&self) -> bool {
        self.program.instructions().any(|instruction| {
            instruction.action.matrix_arithmetic().is_some_and(|one| one.source() == ArithmeticSource::Published)
        })
    }

    /// All instructions of it and of the functions that it may call, by their places in the program.
    pub fn instructions(&self) -> impl Iterator<Item = (CodePlace, &MachineInstruction)> {
        self.program.functions.iter().enumerate().flat_map(|(function, code)| {
            let place = move |at: usize| CodePlace { function: function as u32, instruction: at as u32 };
            code.code.iter().enumerate().map(move |(at, instruction)| (place(at), instruction))
        })
    }

    /// Those that access global, shared or local memory.
    pub fn memory_accesses(&self) -> Vec<CodePlace> {
        let accesses = self.instructions().filter(|(_, instruction)| instruction.action.accesses_memory());
        accesses.map(|(place, _)| place).collect()
    }

    /// The byte range of an instruction.
    pub fn range(&self, place: CodePlace) -> Range<usize> {
        let function = self.places.get(place.function as usize);
        function.and_then(|places| places.get(place.instruction as usize).or(places.last())).cloned().unwrap_or(0..0)
    }
}
