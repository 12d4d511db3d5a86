//! Registers whose value nothing defines, and the computations with them.
//!
//! An undefined value is a mistake where the execution depends on it: in a guard, an address, an atomic operation, or in a buffer. Compilers compute with
//! undefined values and then do not use the result, so a computation alone is none. What is reported is the instruction that has read the value first.

use crate::threads::executor::Executor;
use crate::threads::undefined_bits::{UndefinedBits, UndefinedCause};
use crate::threads::warp::PendingRegister;
use program::lanes::{holding, lanes_of};
use program::machine_program::{MachineGuard, ScalarAction, SecondTarget};
use program::operand::{Destination, Source};
use program::problem::ProblemKind;
use values::value::low_bits;

/// The undefined results of a computation: the register, the lane, and the value.
pub type UndefinedResults = Vec<(u32, usize, UndefinedBits)>;

impl Executor<'_, '_> {
    /// The lanes in which a guard lets the instruction have its effect.
    pub fn guarded(&mut self, MachineGuard { predicate, expected }: MachineGuard) -> u32 {
        self.require_defined(Source::Register(predicate), self.lanes);
        let holds = holding(&self.frame.registers[predicate as usize], self.lanes);
        if expected { holds } else { self.lanes & !holds }
    }

    /// The lanes of `active` in which an operand is not wholly defined.
    #[inline]
    pub fn missing(&self, source: Source, active: u32) -> u32 {
        match source {
            Source::Register(slot) => active & !self.frame.defined[slot as usize],
            Source::Constant(_) => 0,
        }
    }

    /// The entry of a register that a product may not have written yet.
    pub fn pending(&self, source: Source) -> Option<PendingRegister> {
        let Source::Register(slot) = source else { return None };
        self.frame.pending.iter().find(|pending| pending.slot == slot).copied()
    }

    /// What is undefined of an operand in a lane.
    pub fn undefined(&self, source: Source, lane: usize) -> UndefinedBits {
        match source {
            Source::Register(slot) if self.missing(source, 1 << lane) != 0 => {
                if let Some(pending) = self.pending(source) {
                    let cause = UndefinedCause::Problem(ProblemKind::UnfinishedProduct { slot });
                    return UndefinedBits { bits: u64::MAX, reads: vec![(cause, pending.place)] };
                }
                let known = self.frame.undefined.get(&(slot, lane as u8));
                known.cloned().unwrap_or_else(|| UndefinedBits { bits: u64::MAX, reads: Vec::new() })
            }
            _ => UndefinedBits::default(),
        }
    }

    /// Says what is undefined of a register in a lane; all of it if nothing has been read for it.
    pub fn set_undefined(
        &mut self,
        Destination { slot, mask }: Destination,
        lane: usize,
        mut undefined: UndefinedBits,
    ) {
        undefined.bits &= mask;
        if undefined.bits == 0 {
            return;
        }
        self.frame.defined[slot as usize] &= !(1 << lane);
        if undefined.bits == mask && undefined.reads.is_empty() {
            self.frame.undefined.remove(&(slot, lane as u8));
        } else {
            self.frame.undefined.insert((slot, lane as u8), undefined);
        }
    }

    /// What is undefined of the results of a computation in lanes in which a source is not wholly defined.
    pub fn undefined_results(&self, action: &ScalarAction, lanes: u32) -> UndefinedResults {
        let mut results = Vec::new();
        for lane in lanes_of(lanes) {
            let values = action.sources.map(|source| self.values(source)[lane]);
            let mut of_sources = action.sources.map(|source| self.undefined(source, lane));
            let types = action.operation.source_types();
            for (undefined, ty) in of_sources.iter_mut().zip(types) {
                undefined.bits &= low_bits(ty.bits()) as u64;
            }
            of_sources.iter_mut().skip(types.len()).for_each(|undefined| undefined.bits = 0);
            let bits = [0, 1, 2, 3].map(|at| of_sources[at].bits);
            let of_results = action.operation.undefined(values, bits);
            let mut result = UndefinedBits::default();
            for (mut undefined, source) in of_sources.into_iter().zip(action.sources) {
                if undefined.bits == 0 {
                    continue;
                }
                if let (true, Source::Register(slot)) = (undefined.reads.is_empty(), source) {
                    let cause = UndefinedCause::Problem(ProblemKind::UninitializedRegister { slot });
                    undefined.reads.push((cause, self.place()));
                }
                result.add_reads(undefined);
            }
            let second = match action.second {
                SecondTarget::Register(destination) => Some((destination, of_results.second)),
                SecondTarget::None | SecondTarget::Carry(_) => None,
            };
            let first = action.destination.map(|destination| (destination, of_results.value));
            for (destination, bits) in first.into_iter().chain(second) {
                let bits = bits & destination.mask;
                if bits != 0 {
                    results.push((destination.slot, lane, UndefinedBits { bits, reads: result.reads.clone() }));
                }
            }
        }
        results
    }

    /// Marks undefined results, or reports them if nothing uses any of them: no compiler leaves such an instruction.
    pub fn mark_undefined(&mut self, results: UndefinedResults) {
        let mistakes = results.iter().filter(|(.., undefined)| undefined.result_of().is_none());
        let slots: Vec<(u32, usize)> = mistakes.map(|(slot, lane, _)| (*slot, *lane)).collect();
        for (slot, lane, undefined) in results {
            self.set_undefined(Destination { slot, mask: u64::MAX }, lane, undefined);
        }
        if slots.iter().any(|(slot, _)| self.is_live(*slot)) {
            return;
        }
        for (slot, lane) in slots {
            self.require_defined(Source::Register(slot), 1 << lane);
        }
    }

    /// Whether an instruction after the current one may read a register.
    pub fn is_live(&mut self, slot: u32) -> bool {
        let at = self.place();
        self.machine.code.liveness.is_live_behind(self.function, at, slot)
    }

    /// Reports an operand that is not wholly defined, as the execution depends on it: once.
    #[inline]
    pub fn require_defined(&mut self, source: Source, active: u32) {
        if let Source::Register(slot) = source
            && self.missing(source, active) != 0
        {
            self.report_undefined(slot, active);
            self.frame.defined[slot as usize] |= active;
        }
    }

    /// Reports the instructions that have read the value of a register where nothing was written, or the current one.
    #[cold]
    pub fn report_undefined(&mut self, slot: u32, active: u32) {
        for lane in lanes_of(self.missing(Source::Register(slot), active)) {
            let here = self.place();
            let undefined = self.undefined(Source::Register(slot), lane);
            if let Some(place) = undefined.result_of() {
                return self.machine.need_result(place);
            }
            let reads = undefined.reads;
            if reads.is_empty() {
                self.report(ProblemKind::UninitializedRegister { slot }, lane);
                break;
            }
            let thread = self.thread(lane);
            for (cause, place) in reads {
                let UndefinedCause::Problem(kind) = cause else { continue };
                let related = if place == here { Vec::new() } else { vec![(thread, here)] };
                self.machine.problems.report(kind, thread, place, related);
            }
        }
    }
}
