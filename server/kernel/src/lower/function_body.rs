//! Lowers the items of a function, one after another.

use crate::lower::function::{FunctionLowering, LoweredFunction};
use crate::lower::opcode::InstructionWords;
use crate::lower::pairs;
use crate::lower::pairs::PairMasks;
use crate::module::names::Meaning;
use program::{Formals, MachineAction, MachineGuard};
use std::collections::HashMap;
use syntax::{FunctionHead, Item, WalkEvent};

impl<'m, 'a> FunctionLowering<'m, 'a> {
    /// Lowers the parameters and the body.
    pub fn lower(mut self, head: &FunctionHead, item: &Item) -> LoweredFunction {
        self.names.enter();
        let parameters = head.parameters.iter().map(|parameter| self.parameter(parameter)).collect();
        let results = head.returns.iter().map(|parameter| self.parameter(parameter)).collect();
        self.function.formals = Formals { parameters, results };
        item.walk(|event| self.visit(event, item));
        self.range = item.range().end.saturating_sub(1)..item.range().end;
        self.guard = None;
        self.emit(MachineAction::Return);
        let Self { function, places, registers, debug_names, used_parameters, shared_addresses, .. } = self;
        LoweredFunction { function, places, registers, names: debug_names, used_parameters, shared_addresses }
    }

    fn visit(&mut self, event: WalkEvent, item: &Item) {
        match event {
            WalkEvent::EnterFunction | WalkEvent::EnterBlock => {
                self.names.enter();
                self.debug_names.enter();
                self.labels.push(HashMap::new());
            }
            WalkEvent::Leave => {
                self.resolve_branches();
                self.names.leave();
                self.debug_names.leave(self.function.code.len() as u32);
                self.labels.pop();
            }
            WalkEvent::Declare(declaration) => self.declare(&declaration),
            WalkEvent::Instruction(instruction) => {
                if self.pair_masks.is_none() && pairs::may_be_mask(&instruction) {
                    self.pair_masks = Some(PairMasks::of(item));
                }
                self.instruction(&instruction);
            }
        }
    }

    fn instruction(&mut self, instruction: &syntax::Instruction) {
        self.range = instruction.range();
        self.guard = None;
        let words = InstructionWords::new(&instruction.opcode());
        let guard = instruction.guard();
        let predicate = guard.as_ref().map(|guard| self.names.find(&guard.text));
        self.guard = match predicate {
            None => None,
            Some(Some(Meaning::Register(register))) => {
                Some(MachineGuard { predicate: register.slot, expected: !instruction.is_negated() })
            }
            Some(_) => return self.unsupported(&words),
        };
        let start = self.function.code.len();
        if self.lower_instruction(&words, instruction).is_none() {
            self.function.code.truncate(start);
            self.places.truncate(start);
            self.unsupported(&words);
        }
    }

    fn unsupported(&mut self, words: &InstructionWords) {
        self.emit(MachineAction::Unsupported(words.text().into()));
    }
}
