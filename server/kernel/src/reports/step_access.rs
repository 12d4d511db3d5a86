//! What the steps of an execution read and write, by the names of buffers and variables.

use crate::Kernel;
use crate::arguments::argument_values::values;
use crate::arguments::launch_memory::KernelMemory;
use crate::reports::source_variables::{NamedMemory, untyped};
use explorer::StepEffect;
use machine::{GlobalMemory, TracedAccess};
use ordering::EventAccess;
use program::{MachineAccessKind, NearestMemory, Problem, ProblemKind};
use std::fmt;
use values::{Element, Shape, Value};

/// The bytes of an access whose size is not known.
const UNKNOWN_BYTES: usize = 4;

/// An access of a step.
#[derive(Clone, Debug)]
pub struct StepAccess {
    /// What it did.
    pub kind: MachineAccessKind,
    /// Where: `x[1]`, `total`, or the state space and the address.
    pub memory: String,
    /// The values that were read.
    pub read: Vec<Value>,
    /// The values that were written.
    pub written: Vec<Value>,
}

impl StepAccess {
    /// The accesses of a step.
    pub fn of(effect: &StepEffect, kernel: &Kernel, memory: &KernelMemory) -> Vec<Self> {
        let places = Places { kernel, memory };
        let is_only = effect.accesses.len() == 1;
        let access = |access: &TracedAccess| {
            let (memory, shape) = places.describe(access.space, access.address, access.bytes.len());
            let stored = || values(&access.bytes, shape).collect::<Vec<_>>();
            // The bytes in memory may be newer than what was read, the registers are not.
            let loaded = || {
                let value = |bits: &u64| Value::new(shape, u128::from(*bits) & shape.mask());
                if is_only { effect.results.iter().map(value).collect() } else { Vec::new() }
            };
            let (read, written) = match access.kind {
                MachineAccessKind::Read => (loaded(), Vec::new()),
                MachineAccessKind::Write => (Vec::new(), stored()),
                MachineAccessKind::Atomic => (loaded(), stored()),
            };
            Self { kind: access.kind, memory, read, written }
        };
        effect.accesses.iter().map(access).collect()
    }

    /// An access of an event of an execution.
    pub fn of_event(access: &EventAccess, kernel: &Kernel, memory: &KernelMemory) -> Self {
        let elements = access.read.len().max(access.written.len()).max(1);
        let size = access.element as usize * elements;
        let (memory, shape) = Places { kernel, memory }.describe(access.space, access.address, size);
        let shape = match shape.bytes() == access.element {
            true => shape,
            false => Shape::of(Element::Unsigned(8 * access.element)),
        };
        let values = |values: &[u128]| values.iter().map(|bits| Value::new(shape, bits & shape.mask())).collect();
        Self { kind: access.kind, memory, read: values(&access.read), written: values(&access.written) }
    }
}

/// The name of the memory that a problem is about, if it is known: `tile[3][17]`.
pub fn problem_memory(problem: &Problem, kernel: &Kernel, memory: &KernelMemory) -> Option<String> {
    let places = Places { kernel, memory };
    let function = kernel.program.functions.get(problem.place.function as usize);
    let instruction = function.and_then(|function| function.code.get(problem.place.instruction as usize));
    let elements = instruction.and_then(|one| one.action.memory().elements());
    let size = elements.map_or(UNKNOWN_BYTES, |(_, bytes, _)| bytes as usize);
    let found = match &problem.kind {
        ProblemKind::OutOfBounds { nearest, .. } => return places.outside(nearest.as_ref()?),
        ProblemKind::UninitializedMemory { address, size, space: "global" } => places.global(*address, *size as usize),
        ProblemKind::UninitializedMemory { address, size, space: "shared" } => kernel.shared_memory_at(*address, *size),
        ProblemKind::DataRace { address, memory, .. }
        | ProblemKind::SameValueRace { address, memory }
        | ProblemKind::UnorderedAccess { address, memory, .. } => match memory {
            Some(_) => places.global(*address, size),
            None => kernel.shared_memory_at(*address, size as u64),
        },
        _ => None,
    };
    found.map(|one| one.name)
}

/// What a step does, in one line; empty if it does nothing to memory.
pub fn described(accesses: &[StepAccess]) -> String {
    accesses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for StepAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &[Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let Self { memory, read, written, kind } = self;
        match (&read[..], &written[..]) {
            ([], []) => match kind {
                MachineAccessKind::Read => write!(f, "reads `{memory}`"),
                MachineAccessKind::Write => write!(f, "writes `{memory}`"),
                MachineAccessKind::Atomic => write!(f, "updates `{memory}`"),
            },
            (read, []) => write!(f, "reads {} from `{memory}`", list(read)),
            ([], written) => write!(f, "writes {} to `{memory}`", list(written)),
            (read, written) => write!(f, "reads {} from `{memory}`, writes {}", list(read), list(written)),
        }
    }
}

struct Places<'k> {
    kernel: &'k Kernel,
    memory: &'k KernelMemory,
}

impl Places<'_> {
    /// The name of the memory of an access, and the shape of its values.
    fn describe(&self, space: &str, address: u64, size: usize) -> (String, Shape) {
        let named = match space {
            "global" => self.global(address, size),
            "shared" => self.kernel.shared_memory_at(address, size as u64),
            _ => None,
        };
        match named {
            Some(NamedMemory { name, number }) => (name, number.unwrap_or(untyped(size))),
            None => (format!("{space} {address:#x}"), untyped(size)),
        }
    }

    /// An element that a buffer does not have: `x[-1]`.
    fn outside(&self, NearestMemory { name, offset, .. }: &NearestMemory) -> Option<String> {
        let (shape, _) = self.memory.find(name)?;
        let width = i64::from(shape.bytes());
        (offset % width == 0).then(|| format!("{name}[{}]", offset / width))
    }

    /// The bytes of a buffer or variable at an address.
    fn global(&self, address: u64, size: usize) -> Option<NamedMemory> {
        let memory: &GlobalMemory = &self.memory.memory;
        let place = memory.find(address, 1, 0)?;
        let found = &memory.allocations()[place.allocation];
        let (name, offset) = (found.name.to_string(), address - found.address);
        let Some(buffer) = self.memory.buffers().iter().find(|buffer| buffer.address == found.address) else {
            let variable = self.kernel.variables.iter().find(|one| one.name == name)?;
            return Some(self.kernel.part_of(variable, offset, size as u64));
        };
        let width = u64::from(buffer.shape.bytes());
        if !offset.is_multiple_of(width) || !(size as u64).is_multiple_of(width) {
            return Some(NamedMemory { name: format!("{name} + {offset} bytes"), number: None });
        }
        let is_scalar = found.region.bytes().len() as u64 == width;
        let name = if is_scalar { name } else { format!("{name}[{}]", offset / width) };
        Some(NamedMemory { name, number: Some(buffer.shape) })
    }
}
