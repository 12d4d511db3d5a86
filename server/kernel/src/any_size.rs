//! What is known of all launches of a kernel, by the names of its text.

use crate::races::NamedElements;
use crate::{Kernel, KernelError, KernelModule};
use program::{AddressSize, CodePlace};
use std::ops::Range;
use symbolic::BlockKernel;
pub use symbolic::any_size::LaunchSizes;
use symbolic::any_size::{
    AnySizeResult, Atom, AtomId, LaunchAssumption, NoWrap, NumberType, OtherThread, Polynomial, SymbolicMemory, Terms,
    UnknownPlace, UnknownReason, prove_any_size,
};
use syntax::readable;

/// What is known of all launches of a kernel.
#[derive(Debug)]
pub struct AnySizeProof {
    /// Why the kernel is not proved to be free of races; empty if it is.
    pub unknown: Vec<UnknownAccess>,
    /// What the proof supposes.
    pub assumptions: Vec<NamedAssumption>,
    /// The same in terms.
    pub result: AnySizeResult,
}

/// A place where something is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAccess {
    /// The instruction.
    pub range: Range<usize>,
    /// What is not known.
    pub reason: UnknownReason,
    /// The access of the other thread.
    pub other: Option<Range<usize>>,
}

/// What a proof supposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedAssumption {
    /// What it is about.
    pub kind: AssumptionKind,
    /// The condition.
    pub condition: String,
    /// The access that depends on it.
    pub range: Option<Range<usize>>,
}

/// What an assumption is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssumptionKind {
    /// The size of blocks.
    BlockSize,
    /// The size of the grid.
    GridSize,
    /// The memory that parameters point to.
    DistinctMemory,
    /// Accesses that are within a variable.
    InBounds,
    /// A number that does not wrap around.
    NoWrap,
}

impl AssumptionKind {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BlockSize => "block-size",
            Self::GridSize => "grid-size",
            Self::DistinctMemory => "distinct-memory",
            Self::InBounds => "in-bounds",
            Self::NoWrap => "no-wrap",
        }
    }
}

impl KernelModule<'_> {
    /// What is known of all launches of a kernel with some sizes.
    ///
    /// # Errors
    /// [`KernelError`] if the kernel cannot be lowered, or its addresses have 32 bits.
    pub fn prove_any_size(&mut self, name: &str, sizes: &LaunchSizes) -> Result<AnySizeProof, KernelError> {
        let kernel = self.lower_code(name)?;
        if kernel.program.addresses != AddressSize::Bits64 {
            let message = "addresses of 32 bits are not supported here".to_owned();
            return Err(KernelError { range: 0..0, message });
        }
        Ok(kernel.prove_any_size(sizes))
    }
}

impl Kernel {
    fn prove_any_size(&self, sizes: &LaunchSizes) -> AnySizeProof {
        let elements = self.shared_variables();
        let result = self.with_block_kernel(&elements, |kernel: &BlockKernel| prove_any_size(kernel, sizes));
        let names = AssumptionNames { kernel: self, elements: &elements, terms: &result.terms };
        AnySizeProof {
            unknown: result.unknown.iter().map(|place| self.unknown_access(*place)).collect(),
            assumptions: result.assumptions.iter().map(|assumption| names.named(assumption)).collect(),
            result,
        }
    }

    fn range_at(&self, instruction: u32) -> Range<usize> {
        self.range(CodePlace { function: self.index as u32, instruction })
    }

    fn unknown_access(&self, place: UnknownPlace) -> UnknownAccess {
        let other = match place.reason {
            UnknownReason::Overlap(other, _) => Some(self.range_at(other)),
            UnknownReason::Instruction | UnknownReason::Address | UnknownReason::Barrier | UnknownReason::Limit => None,
        };
        UnknownAccess { range: self.range_at(place.at), reason: place.reason, other }
    }
}

impl UnknownAccess {
    /// Its name in results.
    pub const fn name(&self) -> &'static str {
        match self.reason {
            UnknownReason::Instruction => "instruction",
            UnknownReason::Address => "address",
            UnknownReason::Overlap(..) => "overlap",
            UnknownReason::Barrier => "barrier",
            UnknownReason::Limit => "limit",
        }
    }

    /// What is not known.
    pub const fn message(&self) -> &'static str {
        match self.reason {
            UnknownReason::Instruction => "instruction is not supported here",
            UnknownReason::Address => "address is not known",
            UnknownReason::Overlap(_, OtherThread::SameBlock) => {
                "access may overlap that of another thread of the block"
            }
            UnknownReason::Overlap(_, OtherThread::OtherBlock) => {
                "access may overlap that of a thread of another block"
            }
            UnknownReason::Barrier => "barrier may not be reached by all threads of the block",
            UnknownReason::Limit => "bound on the effort was reached",
        }
    }
}

/// The names in an assumption.
struct AssumptionNames<'a> {
    kernel: &'a Kernel,
    elements: &'a [NamedElements],
    terms: &'a Terms,
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl AssumptionNames<'_> {
    fn named(&self, assumption: &LaunchAssumption) -> NamedAssumption {
        let (kind, condition, at) = match assumption {
            LaunchAssumption::BlockSize(axis, 1) => {
                (AssumptionKind::BlockSize, format!("%ntid.{} = 1", AXES[*axis]), None)
            }
            LaunchAssumption::BlockSize(axis, most) => {
                (AssumptionKind::BlockSize, format!("%ntid.{} <= {most}", AXES[*axis]), None)
            }
            LaunchAssumption::GridSize(axis) => {
                (AssumptionKind::GridSize, format!("%nctaid.{} = 1", AXES[*axis]), None)
            }
            LaunchAssumption::Distinct(one, other) => {
                let condition = format!(
                    "accesses to `{}` do not overlap those to `{}`",
                    self.parameter(*one),
                    self.parameter(*other)
                );
                (AssumptionKind::DistinctMemory, condition, None)
            }
            LaunchAssumption::InBounds(memory) => {
                let condition = format!("accesses to `{}` are in bounds", self.memory(*memory));
                (AssumptionKind::InBounds, condition, None)
            }
            LaunchAssumption::NoWrap(NoWrap { at, number, ty }) => {
                let (least, most) = ty.interval();
                let (smallest, largest) = self.terms.interval(number);
                let number = self.number(number);
                let condition = match (smallest < least, largest > most) {
                    (true, false) => format!("{number} >= {least}"),
                    (false, true) => format!("{number} <= {most}"),
                    _ => format!("{least} <= {number} <= {most}"),
                };
                (AssumptionKind::NoWrap, condition, Some(self.kernel.range_at(*at)))
            }
        };
        NamedAssumption { kind, condition, range: at }
    }

    fn memory(&self, memory: SymbolicMemory) -> String {
        match memory {
            SymbolicMemory::Shared(variable) => self.variable(variable),
            SymbolicMemory::Pointer(offset) => self.parameter(offset),
            SymbolicMemory::Unknown(_) => "memory".to_owned(),
        }
    }

    fn variable(&self, variable: u16) -> String {
        let name = self.elements.get(usize::from(variable)).map(|one| readable(&one.name).into_owned());
        name.unwrap_or_default()
    }

    fn parameter(&self, offset: u64) -> String {
        let function = &self.kernel.program.functions[self.kernel.index];
        let is_in = |first: u32, size: u32| (u64::from(first)..u64::from(first + size)).contains(&offset);
        let found = function.parameters.iter().position(|one| is_in(one.offset, one.size));
        let Some(at) = found else { return format!("parameter memory+{offset}") };
        let parameter = &function.parameters[at];
        let name = self.kernel.source_parameters.get(at).map_or(&parameter.name, |source| &source.name);
        match offset - u64::from(parameter.offset) {
            0 => name.clone(),
            behind => format!("{name}+{behind}"),
        }
    }

    /// A sum as it is written in a program.
    fn number(&self, number: &Polynomial) -> String {
        let mut text = String::new();
        let mut terms: Vec<_> = number.terms().collect();
        terms.sort_by_key(|(monomial, coefficient)| (*coefficient < 0, monomial.is_empty()));
        for (monomial, coefficient) in terms {
            let sign = match (text.is_empty(), coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text.push_str(sign);
            let mut factors: Vec<String> = monomial.iter().map(|atom| self.atom(*atom)).collect();
            if coefficient.abs() != 1 || monomial.is_empty() {
                factors.insert(0, coefficient.abs().to_string());
            }
            text.push_str(&factors.join(" * "));
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }

    fn atom(&self, atom: AtomId) -> String {
        let pair = |one: &Polynomial, other: &Polynomial, between: &str| {
            format!("({}{between}{})", self.number(one), self.number(other))
        };
        match self.terms.get(atom) {
            Atom::ThreadIndex(axis) => format!("%tid.{}", AXES[*axis]),
            Atom::BlockSize(axis) => format!("%ntid.{}", AXES[*axis]),
            Atom::CtaIndex(axis) => format!("%ctaid.{}", AXES[*axis]),
            Atom::GridSize(axis) => format!("%nctaid.{}", AXES[*axis]),
            Atom::Parameter(offset, _) => self.parameter(*offset),
            Atom::SharedVariable(variable) => self.variable(*variable),
            Atom::Unknown(_, slot, _) => {
                let names = self.kernel.registers.get(self.kernel.index);
                names.and_then(|names| names.name(*slot)).unwrap_or_else(|| "a value".to_owned())
            }
            Atom::Iteration(..) => "iteration".to_owned(),
            Atom::Quotient(one, other) => {
                let divisor = self.number(other);
                format!("(({}) / ({divisor}))", self.number(one))
            }
            Atom::Typed(number, _) => format!("({})", self.number(number)),
            Atom::Wraps(number, NumberType::Signed(bits) | NumberType::Unsigned(bits)) => {
                format!("(({}) >> {bits})", self.number(number))
            }
            Atom::Function(_, operands) => {
                let operands: Vec<String> = operands.iter().map(|operand| self.number(operand)).collect();
                format!("f({})", operands.join(", "))
            }
            Atom::Xor(one, other, _) => pair(one, other, " ^ "),
            Atom::Minimum(one, other) => format!("min{}", pair(one, other, ", ")),
            Atom::Maximum(one, other) => format!("max{}", pair(one, other, ", ")),
            Atom::Choice(_, one, other) => format!("one of {}", pair(one, other, ", ")),
            Atom::InThread(_, atom) => self.atom(*atom),
        }
    }
}

/// Narrows sizes by a condition: `%ntid.x <= 256`, or `n >= 1` for an integer parameter of a kernel.
///
/// # Errors
/// The condition is not one of a size or an integer parameter.
pub fn assume(sizes: &mut LaunchSizes, condition: &str, module: &mut KernelModule, kernel: &str) -> Result<(), String> {
    let expected = || format!("`{condition}`: write a size or a parameter, <=, >= or =, and a number: %ntid.x <= 256");
    let operator = ["<=", ">=", "="].into_iter().find(|operator| condition.contains(operator)).ok_or_else(expected)?;
    let (name, number) = condition.split_once(operator).ok_or_else(expected)?;
    let number: u32 = number.trim_start_matches('=').trim().parse().map_err(|_| expected())?;
    let name = name.trim();
    let interval = match name.strip_prefix('%').and_then(|name| name.split_once('.')) {
        Some((register, axis)) => {
            let axis = AXES.iter().position(|other| *other == axis).ok_or_else(expected)?;
            match register {
                "ntid" => &mut sizes.block[axis],
                "nctaid" => &mut sizes.grid[axis],
                _ => return Err(expected()),
            }
        }
        None => {
            let kernel = module.lower_code(kernel).map_err(|error| error.message)?;
            let parameters = &kernel.program.functions[kernel.index].parameters;
            let of_source = kernel.source_parameters.iter().position(|source| source.name == name);
            let at = of_source.or(parameters.iter().position(|one| one.name == name)).ok_or_else(expected)?;
            let most = (1i128 << (8 * parameters[at].size.min(8))) - 1;
            sizes.parameters.entry(parameters[at].offset.into()).or_insert((0, most))
        }
    };
    let number = i128::from(number);
    if operator != ">=" {
        interval.1 = interval.1.min(number);
    }
    if operator != "<=" {
        interval.0 = interval.0.max(number);
    }
    if interval.0 > interval.1 {
        return Err(format!("`{condition}`: no launch is left"));
    }
    Ok(())
}
