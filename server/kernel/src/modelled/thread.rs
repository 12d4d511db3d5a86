//! The code of one thread of a launch: instructions are executed as far as their operands are the same in all executions, and translated otherwise.

use crate::modelled::launched_thread::LaunchedThread;
use crate::modelled::thread_code::{BranchKind, CodeLabel, ThreadCode};
use program::{
    CodePlace, ControlTransfer, LiveRegisters, MachineAction, MachineGuard, MachineInstruction, RegisterAccesses,
    Source,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many contents of registers an instruction is translated for before constants that differ become registers.
const MOST_VARIANTS: usize = 24;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// The same value in all executions.
    Known(u64),
    /// What depends on reads.
    Computed,
}

/// The registers that were written.
type HeldRegisters = BTreeMap<u32, Held>;

/// An instruction with what the registers hold that are read after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TranslatedBlock {
    at: u32,
    registers: HeldRegisters,
}

/// Whether the current instruction has its effect in all executions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GuardedEffect {
    /// It has.
    Always,
    /// A guard decides that depends on reads.
    Guarded,
}

/// What happens after an instruction.
pub enum Next {
    /// The next one.
    Following,
    /// Another one.
    At(u32),
    /// The thread ends.
    End,
}

/// Writes the code of a thread.
pub struct ThreadWriter<'l> {
    pub thread: &'l LaunchedThread<'l>,
    live: &'l LiveRegisters,
    pub out: ThreadCode,
    pub registers: HeldRegisters,
    pub effect: GuardedEffect,
    /// The instructions that branches lead to.
    targets: BTreeSet<u32>,
    blocks: BTreeMap<TranslatedBlock, CodeLabel>,
    open: Vec<(TranslatedBlock, CodeLabel)>,
    /// The first contents of the registers at an instruction, and how many there were.
    variants: BTreeMap<u32, (HeldRegisters, usize)>,
    end: CodeLabel,
}

/// The code of a thread; `None` if it does something that the model or this translation does not have.
pub fn thread_code(thread: &LaunchedThread, live: &LiveRegisters) -> Option<ThreadCode> {
    let mut out = ThreadCode::new();
    let end = out.label();
    let (targets, variants) = (targets(&thread.function.code), BTreeMap::new());
    let mut writer = ThreadWriter {
        thread,
        live,
        out,
        registers: HeldRegisters::new(),
        effect: GuardedEffect::Always,
        targets,
        blocks: BTreeMap::new(),
        open: Vec::new(),
        variants,
        end,
    };
    writer.label_of(0);
    while let Some((block, label)) = writer.open.pop() {
        writer.write_block(block, label)?;
    }
    Some(writer.out.finish())
}

fn targets(code: &[MachineInstruction]) -> BTreeSet<u32> {
    let of = |instruction: &MachineInstruction| match instruction.action.flow() {
        ControlTransfer::Branch(target) => vec![target],
        ControlTransfer::BranchIndexed(_, targets) => targets.to_vec(),
        ControlTransfer::Next
        | ControlTransfer::Call(_)
        | ControlTransfer::Return
        | ControlTransfer::Exit
        | ControlTransfer::Trap => Vec::new(),
    };
    code.iter().flat_map(of).collect()
}

impl ThreadWriter<'_> {
    /// The current block, as far as its registers are read later.
    fn block(&self, at: u32) -> TranslatedBlock {
        let is_live = |slot: &u32| self.live.is_live_before(at, *slot);
        let registers = self.registers.iter().filter(|(slot, _)| is_live(slot)).map(|(slot, held)| (*slot, *held));
        TranslatedBlock { at, registers: registers.collect() }
    }

    /// Where an instruction is translated for the current registers, now or later.
    fn label_of(&mut self, at: u32) -> CodeLabel {
        let block = self.block(at);
        if let Some(label) = self.blocks.get(&block) {
            return *label;
        }
        let label = self.out.label();
        self.blocks.insert(block.clone(), label);
        self.open.push((block, label));
        label
    }

    fn write_block(&mut self, block: TranslatedBlock, label: CodeLabel) -> Option<()> {
        self.out.place(label);
        self.registers = block.registers;
        let mut at = block.at;
        let mut begun = Some(label);
        loop {
            let Some(instruction) = self.thread.function.code.get(at as usize) else {
                self.out.begin(self.place(at.saturating_sub(1)));
                return self.out.jump(self.end);
            };
            self.out.begin(self.place(at));
            let begun = begun.take();
            if self.targets.contains(&at) && !self.enters(at, begun)? {
                return Some(());
            }
            match self.write_guarded(instruction, at)? {
                Next::Following => at += 1,
                Next::At(target) => at = target,
                Next::End => return self.out.jump(self.end),
            }
        }
    }

    pub const fn place(&self, at: u32) -> CodePlace {
        CodePlace { function: self.thread.index, instruction: at }
    }

    /// Begins a block in the middle of another one, or jumps to the one that was begun elsewhere. Returns whether it goes on here.
    fn enters(&mut self, at: u32, begun: Option<CodeLabel>) -> Option<bool> {
        self.widen(at)?;
        let block = self.block(at);
        match self.blocks.get(&block).copied() {
            // It is this one.
            known if known.is_some() && known == begun => Some(true),
            Some(label) => {
                self.out.jump(label)?;
                Some(false)
            }
            None => {
                let label = self.out.label();
                self.blocks.insert(block, label);
                self.out.place(label);
                Some(true)
            }
        }
    }

    /// Counts the contents of registers at an instruction. Of too many, those that are not always the same become registers of the model.
    fn widen(&mut self, at: u32) -> Option<()> {
        let registers = self.block(at).registers;
        let (first, count) = self.variants.entry(at).or_insert_with(|| (registers.clone(), 0));
        *count += 1;
        if *count <= MOST_VARIANTS {
            return Some(());
        }
        let differs = |(slot, held): (&u32, &Held)| match held {
            Held::Known(value) if first.get(slot) != Some(held) => Some((*slot, *value)),
            _ => None,
        };
        let changed: Vec<(u32, u64)> = registers.iter().filter_map(differs).collect();
        for (slot, value) in changed {
            self.compute_known(slot, value)?;
        }
        Some(())
    }

    /// Makes a register of the model hold what is known.
    fn compute_known(&mut self, slot: u32, value: u64) -> Option<()> {
        let register = self.out.register(slot);
        self.registers.insert(slot, Held::Computed);
        self.out.set(register, value)
    }

    fn write_guarded(&mut self, instruction: &MachineInstruction, at: u32) -> Option<Next> {
        self.effect = GuardedEffect::Always;
        let Some(MachineGuard { predicate, expected }) = instruction.guard else {
            return self.write(&instruction.action, at);
        };
        match self.held(Source::Register(predicate))? {
            Held::Known(value) if (value & 1 == 1) == expected => self.write(&instruction.action, at),
            Held::Known(_) => Some(Next::Following),
            Held::Computed => self.write_under(predicate, expected, &instruction.action, at),
        }
    }

    /// An instruction whose guard depends on reads.
    fn write_under(&mut self, predicate: u32, expected: bool, action: &MachineAction, at: u32) -> Option<Next> {
        let register = self.out.register(predicate);
        match action.flow() {
            ControlTransfer::Branch(target) => {
                let target = self.label_of(target);
                self.out.branch(register, !expected, target, BranchKind::Branch)?;
                Some(Next::Following)
            }
            ControlTransfer::Exit | ControlTransfer::Return => {
                let end = self.end;
                self.out.branch(register, !expected, end, BranchKind::Branch)?;
                Some(Next::Following)
            }
            ControlTransfer::Trap | ControlTransfer::Call(_) | ControlTransfer::BranchIndexed(..) => {
                let next = self.label_of(at + 1);
                self.out.branch(register, expected, next, BranchKind::Branch)?;
                self.write(action, at)
            }
            ControlTransfer::Next => {
                for slot in RegisterAccesses::of(action)?.written {
                    match self.registers.get(&slot) {
                        Some(Held::Known(value)) => self.compute_known(slot, *value)?,
                        Some(Held::Computed) => {}
                        None => {
                            self.out.may_lack_writes = true;
                            self.compute_known(slot, 0)?;
                        }
                    }
                }
                let after = self.out.label();
                self.out.branch(register, expected, after, BranchKind::Guard)?;
                self.effect = GuardedEffect::Guarded;
                let next = self.write(action, at)?;
                self.out.place(after);
                Some(next)
            }
        }
    }
}
