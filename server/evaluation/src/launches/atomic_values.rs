//! The values with which launches in comments execute an atomic first.

use crate::comments::comment::{CommentItem, CommentPart};
use crate::comments::{EvaluatedAtomic, GuardValue};
use crate::launches::cache::{LaunchCache, LaunchKey};
use isa::types::Space;
use kernel::Kernel;
use kernel::arguments::launch::LaunchableKernel;
use kernel::stream::StreamKernel;
use machine::{ObservedMemory, RunControl, RunObserver, RunState, ThreadView};
use program::{CodePlace, MemorySpace, ThreadId};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use syntax::{Number, Operand, OperandKind};
use values::{AccessedSpace, Computation};

/// What is read when a thread executes an atomic.
#[derive(Clone, Debug)]
pub struct AtomicQuestion {
    place: CodePlace,
    /// The slot of the guard's predicate, and the guard.
    guard: Option<(u32, GuardValue)>,
    /// The registers of the operands: name, slot and bits.
    registers: Vec<(String, u32, u32)>,
    base: AtomicAddress,
    offset: i64,
    bytes: usize,
}

/// The base of an address.
#[derive(Clone, Copy, Debug)]
enum AtomicAddress {
    /// A register by its slot, and the space that it refers to.
    Register(u32, MemorySpace),
    /// A variable: its space and address.
    Variable(MemorySpace, u64),
}

/// The values with which a thread executes an atomic.
#[derive(Clone, Debug)]
pub struct AtomicValues {
    /// The thread.
    pub thread: ThreadId,
    /// The registers of the operands: name, value and bits.
    pub registers: Vec<(String, u128, u32)>,
    /// The value of the guard's predicate.
    pub guard: Option<CommentItem>,
    /// What memory holds before.
    pub memory: u128,
    /// Where it is.
    pub location: AccessedSpace,
}

impl AtomicQuestion {
    /// The question about an atomic in the text; `None` if the kernel does not have it, or it is not executed as one access.
    pub fn new(kernel: &Kernel, range: &Range<usize>, atomic: &EvaluatedAtomic) -> Option<Self> {
        let place = place_of(kernel, range)?;
        let function = kernel.names.get(place.function as usize)?;
        let slot = |name: &str| {
            let (register, number, element) = function.find_register(name, place.instruction)?;
            Some((register.slot_of(number, element), register.bits))
        };
        let address = atomic.address.as_ref()?.address()?;
        let base = &*address.base.token.text;
        let variable = || kernel.variables_at(place).find(|one| one.name == base);
        let base = match slot(base) {
            Some((slot, _)) => AtomicAddress::Register(slot, space_of(atomic.instruction.space.value)),
            None => variable().map(|one| AtomicAddress::Variable(one.space, one.address))?,
        };
        let offset = match &address.offset {
            None => 0,
            Some(offset) => Number::signed_integer(&offset.text)?.try_into().ok()?,
        };
        let names = atomic.inputs.iter().flatten().flat_map(register_names);
        let registers = names.filter_map(|name| slot(&name).map(|(slot, bits)| (name, slot, bits))).collect();
        let guard = match &atomic.guard {
            None => None,
            Some(guard) => Some((slot(&guard.name)?.0, guard.clone())),
        };
        let bytes = Computation::of(&atomic.instruction, AccessedSpace::Global).ok()?.shape().bytes() as usize;
        Some(Self { place, guard, registers, base, offset, bytes })
    }

    /// The values of a thread; `None` if its guard is false, or there is no memory at the address.
    fn answer(&self, state: &RunState, thread: ThreadView) -> Option<AtomicValues> {
        let register = |slot: u32| thread.register(0, slot).map(|register| register.bits);
        let guard = match &self.guard {
            None => None,
            Some((slot, guard)) => {
                let value = register(*slot)? & 1 == 1;
                let part = |text: &str| CommentPart { text: text.to_owned(), range: 0..0 };
                let item = CommentItem { name: part(&guard.name), value: part(if value { "1" } else { "0" }) };
                Some(guard.allows(value).then_some(item)?)
            }
        };
        let (space, base) = match self.base {
            AtomicAddress::Register(slot, space) => (space, register(slot)?),
            AtomicAddress::Variable(space, address) => (space, address),
        };
        let memory = thread.place(0, space, base.wrapping_add_signed(self.offset))?;
        let (bytes, _) = state.read(memory, self.bytes).filter(|(bytes, _)| bytes.len() == self.bytes)?;
        let value = |(name, slot, bits): &(String, u32, u32)| {
            let high = if *bits > 64 { register(slot + 1)? } else { 0 };
            Some((name.clone(), u128::from(high) << 64 | u128::from(register(*slot)?), *bits))
        };
        Some(AtomicValues {
            thread: thread.id(),
            registers: self.registers.iter().filter_map(value).collect(),
            guard,
            memory: bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte)),
            location: match memory {
                ObservedMemory::Shared { .. } => AccessedSpace::Shared,
                ObservedMemory::Global(_) | ObservedMemory::Local { .. } => AccessedSpace::Global,
            },
        })
    }
}

/// The names of the registers of an operand.
fn register_names(operand: &Operand) -> Vec<String> {
    let is_name = |one: &&Operand| matches!(one.kind, OperandKind::Name | OperandKind::Element);
    let lanes = operand.lanes();
    let all = if lanes.is_empty() { std::slice::from_ref(operand) } else { &lanes };
    all.iter().filter(is_name).map(|one| one.token.text.to_string()).collect()
}

const fn space_of(space: Space) -> MemorySpace {
    match space {
        Space::Generic => MemorySpace::Generic,
        Space::Global => MemorySpace::Global,
        Space::SharedCta => MemorySpace::SharedCta,
        Space::SharedCluster => MemorySpace::SharedCluster,
    }
}

/// The access of an instruction of the text.
fn place_of(kernel: &Kernel, range: &Range<usize>) -> Option<CodePlace> {
    for (function, places) in kernel.places.iter().enumerate() {
        let code = &kernel.program.functions[function].code;
        let of_atomic = |(instruction, place): (usize, &Range<usize>)| {
            let is_access = code.get(instruction)?.action.memory().update().is_some();
            (is_access && range.start <= place.start && place.start < range.end).then_some(instruction)
        };
        if let Some(instruction) = places.iter().enumerate().find_map(of_atomic) {
            return Some(CodePlace { function: function as u32, instruction: instruction as u32 });
        }
    }
    None
}

/// Answers questions when an instruction is executed first.
#[derive(Debug)]
struct AtomicObserver {
    open: HashMap<CodePlace, AtomicQuestion>,
    answers: HashMap<CodePlace, AtomicValues>,
}

impl RunObserver for AtomicObserver {
    fn before(&mut self, state: &RunState) -> RunControl {
        let Some(group) = state.running() else { return RunControl::Continue };
        if let Some(question) = self.open.get(&group.place) {
            let mut answers = group.threads().filter_map(|thread| question.answer(state, state.thread(thread)?));
            if let Some(answer) = answers.next() {
                self.open.remove(&group.place);
                self.answers.insert(group.place, answer);
            }
        }
        if self.open.is_empty() { RunControl::Stop } else { RunControl::Continue }
    }

    fn accessed(&mut self, _: &machine::ObservedAccess) {}

    fn ended(&mut self, _: &RunState) {}
}

/// The answers to questions about a launch, in their order; `None` for an atomic that no thread executes.
pub fn answers(
    prepared: &LaunchableKernel,
    questions: &[AtomicQuestion],
    cache: &LaunchCache,
) -> Vec<Option<AtomicValues>> {
    let key = LaunchKey::of(&[StreamKernel::new(prepared)], &format!("{questions:?}"));
    let found: Arc<HashMap<CodePlace, AtomicValues>> = cache.result(key, || {
        let open = questions.iter().map(|question| (question.place, question.clone())).collect();
        let mut observer = AtomicObserver { open, answers: HashMap::new() };
        let LaunchableKernel { kernel, memory, launch } = prepared;
        // A launch that the machine rejects has a diagnostic of its own.
        let _ = machine::observe(&kernel.program, launch, memory.memory.clone(), &mut observer);
        observer.answers
    });
    questions.iter().map(|question| found.get(&question.place).cloned()).collect()
}
