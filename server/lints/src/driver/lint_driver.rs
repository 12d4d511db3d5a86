//! The walk over the items of a module, in which each rule sees what it checks.

use crate::Coverage;
use crate::checker::BlockRecorder;
use crate::driver::checked_item::CheckedItem;
use crate::driver::early_flow;
use crate::driver::lint_module::LintModule;
use crate::rules::barriers::missing_barrier;
use crate::rules::comments::evaluation_mismatch;
use crate::rules::module::invalid_constant;
use crate::rules::module::undeclared_register::DeclarationPlace;
use analysis::effects::{OpcodeEffects, Trigger};
use analysis::spellings::SpellingCache;
use analysis::values::{EarlierItems, FunctionValues, LegalAtomic, OpcodeTable, ValueGraph, ValueInput};
use diagnostics::Diagnostic;
use diagnostics::suppressions::{self, MARKER};
use kernel::KernelModule;
use legality::directives;
use legality::flag_facts::FlagFacts;
use legality::instructions::forms;
use legality::operands;
use legality::operands::{KnownNames, StaleBlock};
use legality::summary::Summary;
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use syntax::{Item, Rope, ScannedFunction, WalkEvent};

/// The number of instructions between two tests for cancellation.
const CANCELLATION_INTERVAL: usize = 4096;

/// The state of a walk over one item.
#[derive(Default)]
pub(super) struct ItemWalk {
    /// The number of visited instructions.
    pub(super) instructions: usize,
    pub(super) is_cancelled: bool,
    /// What the rules about synchronization check.
    pub(super) triggers: Trigger,
    /// The legal atomics without errors, by their offsets.
    pub(super) atomics: Vec<LegalAtomic>,
    pub(super) summary: Summary,
    pub(super) place: DeclarationPlace,
}

/// An item, and its elements if they were scanned.
struct ScannedItem<'i, 'a> {
    item: &'i Item<'a>,
    scanned: Option<ScannedFunction>,
}

/// Runs the rules on items of a module, in the order of the text.
pub(crate) struct LintDriver<'a> {
    pub(super) module: &'a LintModule<'a>,
    /// The coverage so far.
    pub(crate) coverage: Coverage,
    pub(super) operands: operands::OperandChecks<'a>,
    pub(super) opcodes: forms::OpcodeCache,
    pub(super) spellings: Rc<SpellingCache>,
    pub(super) flow_opcodes: OpcodeTable<'a>,
    pub(super) opcode_effects: OpcodeEffects,
    pub(super) local_names: directives::LocalNames,
    /// The module whose kernels are lowered; it is read on demand.
    kernels: Option<KernelModule<'a>>,
}

impl<'a> LintDriver<'a> {
    /// A driver at the start of a module.
    pub(crate) fn new(module: &'a LintModule<'a>) -> Self {
        LintDriver {
            module,
            coverage: Coverage::default(),
            operands: operands::OperandChecks::new(module.snapshot, &module.context),
            opcodes: forms::OpcodeCache::default(),
            spellings: Rc::default(),
            flow_opcodes: OpcodeTable::default(),
            opcode_effects: OpcodeEffects::default(),
            local_names: directives::LocalNames::default(),
            kernels: None,
        }
    }

    /// The text that is checked.
    pub(crate) fn text(&self) -> &'a Rope {
        self.module.text()
    }

    /// Sets which names of other items are declared from now on; at first it is all.
    pub(crate) fn set_known(&mut self, known: KnownNames) {
        self.operands.set_known(known);
    }

    /// Adds the names of an item without checking it.
    pub(crate) fn declare(&mut self, item: &Item<'a>) {
        for declaration in item.declarations() {
            self.operands.follow(&WalkEvent::Declare(declaration));
        }
    }

    /// Checks one item. The diagnostics are in no particular order. Returns `None` if the check is cancelled. Cached blocks
    /// are skipped. `earlier` gives the earlier items that declare a name, unless they have been declared.
    pub(crate) fn check(
        &mut self,
        item: &Item<'a>,
        cancelled: &(dyn Fn() -> bool + Sync),
        blocks: &mut BlockRecorder,
        earlier: &EarlierItems<'_, 'a>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<CheckedItem> {
        let LintModule { snapshot, context, recovery, .. } = self.module;
        let item = ScannedItem { item, scanned: item.scan() };
        let broken = recovery.statements(item.item.range()).filter(|_| !snapshot.fragment);
        let flow_of = |broken| ValueInput {
            file: &snapshot.file,
            item: item.item,
            scanned: item.scanned.as_ref(),
            broken,
            earlier,
        };
        let input = broken.map(flow_of);
        let mut early = None;
        let prepared = input.as_ref().filter(|_| early_flow::is_worthwhile(item.item, blocks));
        let prepared =
            prepared.map(|input| (input, self.operands.names().clone(), std::mem::take(&mut self.flow_opcodes)));
        let walk = rayon::in_place_scope(|scope| {
            if let Some((input, names, opcodes)) = prepared {
                let early = &mut early;
                scope.spawn(move |_| *early = Some(ValueGraph::build(input, &names, opcodes)));
            }
            let mut walk = self.check_statements(&item, cancelled, blocks, diagnostics)?;
            self.check_directives(item.item, &mut walk.summary, diagnostics);
            Some(walk)
        });
        let walk = walk?;
        let range = item.item.range();
        let ItemWalk { triggers, atomics, mut summary, .. } = walk;
        let skipped = blocks.take_skipped();
        summary.order(skipped.facts);
        let mut triggers = triggers | skipped.facts.triggers;
        if !self.module.records_calls {
            summary.flags.leaves_out_calls = triggers.has(Trigger::CALL);
            triggers = triggers.without(Trigger::CALL);
        }
        let has_atomics = !atomics.is_empty();
        let mut system_memory = snapshot.settings.system_memory.clone();
        let is_marked = || snapshot.file.may_have_directive_comments() && snapshot.file.holds(range.clone(), MARKER);
        if input.is_some() && item.item.is_function() && is_marked() {
            system_memory.extend(suppressions::system_memory(&snapshot.file.slice(&range)));
        }
        let is_synchronised = triggers.has(Trigger::SYNCHRONISATION) || !system_memory.is_empty();
        if let (Some(input), true) = (&input, has_atomics || is_synchronised) {
            blocks.record_flow();
            let opcodes = std::mem::take(&mut self.flow_opcodes);
            let graph = early.unwrap_or_else(|| ValueGraph::build(input, self.operands.names(), opcodes));
            let flow = FunctionValues::new(graph, context.module, &self.spellings, atomics);
            if has_atomics {
                self.check_data_flow(&flow, diagnostics);
                summary.record(&flow, range.start);
            }
            if is_synchronised {
                let facts = self.check_synchronisation(&flow, item.item, (triggers, system_memory), diagnostics);
                summary.flags = FlagFacts { leaves_out_calls: summary.flags.leaves_out_calls, ..facts };
            }
            self.flow_opcodes = flow.into_opcodes();
        } else if let Some(graph) = early {
            self.flow_opcodes = graph.into_opcodes();
        }
        let is_legal = input.is_some() && !triggers.has(Trigger::ILLEGAL) && !recovery.is_broken(range.clone());
        if is_legal && triggers.has(Trigger::SHARED_STORE) {
            self.check_races(item.item, diagnostics);
        }
        diagnostics.retain(|diagnostic| self.module.reports(diagnostic.rule));
        if self.module.evaluates {
            summary.lacks_values = evaluation_mismatch::check(snapshot, range, context, diagnostics);
        }
        Some(CheckedItem { summary })
    }

    /// Checks whether threads of a block access shared memory without a barrier between them.
    fn check_races(&mut self, item: &Item<'a>, diagnostics: &mut Vec<Diagnostic>) {
        let LintModule { snapshot, context, .. } = self.module;
        if !missing_barrier::RULES.iter().any(|rule| self.module.reports(rule)) {
            return;
        }
        let kernels = self.kernels.get_or_insert_with(|| KernelModule::of_many(&snapshot.file, context.module));
        missing_barrier::check(kernels, item, diagnostics);
    }

    /// Checks constants and directives of an item.
    fn check_directives(&self, item: &Item<'a>, summary: &mut Summary, diagnostics: &mut Vec<Diagnostic>) {
        let LintModule { snapshot, context, recovery, .. } = self.module;
        let has_plain_data =
            directives::check_section_data(snapshot.file.text(), item, (recovery, context), diagnostics);
        if !has_plain_data {
            invalid_constant::check(snapshot.file.text(), item.range(), recovery, diagnostics);
        }
        if !snapshot.fragment && !recovery.is_broken(item.range()) {
            directives::check_item(item, self.operands.names(), context, diagnostics);
            if self.module.has_pragmas {
                directives::check_pragmas(&snapshot.file, item, context, diagnostics);
            }
            summary.unknown_locations = directives::unknown_locations(&snapshot.file, item);
            summary.directive = directives::module_directive(&snapshot.file, item);
        }
    }

    /// Checks the instructions and labels of an item; `None` if the check is cancelled. If a label is missing that a cached block branches to, all blocks are checked.
    fn check_statements(
        &mut self,
        item: &ScannedItem<'_, 'a>,
        cancelled: &(dyn Fn() -> bool + Sync),
        blocks: &mut BlockRecorder,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<ItemWalk> {
        let before = diagnostics.len();
        self.operands.take_reached_labels();
        let mut walk = self.walk(item, cancelled, blocks, diagnostics)?;
        if let Err(StaleBlock) = self.operands.check_labels(diagnostics) {
            diagnostics.truncate(before);
            blocks.take_skipped();
            blocks.ignore_cache();
            walk = self.walk(item, cancelled, blocks, diagnostics)?;
            // No block is skipped now.
            _ = self.operands.check_labels(diagnostics);
        }
        Some(walk)
    }

    /// Checks the instructions of an item; `None` if the check is cancelled.
    fn walk(
        &mut self,
        ScannedItem { item, scanned }: &ScannedItem<'_, 'a>,
        cancelled: &(dyn Fn() -> bool + Sync),
        blocks: &mut BlockRecorder,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<ItemWalk> {
        let mut walk = ItemWalk { place: DeclarationPlace::new(&item.range()), ..ItemWalk::default() };
        let (blocks, text, file) = (RefCell::new(blocks), self.text(), &self.module.snapshot.file);
        let is_certain = !self.module.recovery.is_broken(item.range());
        let visit = |event: WalkEvent<'a>| {
            let mut blocks = blocks.borrow_mut();
            if is_certain {
                let before = diagnostics.len();
                let module = (&self.module.snapshot.file, &self.module.context);
                self.local_names.follow(&event, self.operands.names(), module, diagnostics);
                if diagnostics.len() > before {
                    blocks.invalidate();
                }
            }
            let skipped = blocks.take_skipped_labels();
            self.operands.add_cached_branches(skipped);
            blocks.take_skipped_atomics(&mut walk.atomics);
            self.operands.follow(&event);
            walk.place.follow(&event);
            blocks.visit(&event);
            if let WalkEvent::Declare(declaration) = &event {
                self.operands.check_list(declaration, diagnostics);
            }
            if let WalkEvent::Instruction(instruction) = event
                && !walk.is_cancelled
            {
                walk.instructions += 1;
                walk.is_cancelled = walk.instructions.is_multiple_of(CANCELLATION_INTERVAL) && cancelled();
                self.check_instruction(&instruction, &mut blocks, &mut walk, diagnostics);
            }
            blocks.record_labels(self.operands.take_needed_labels());
        };
        match scanned {
            Some(function) if blocks.borrow().is_used() => function.walk_blocks(file, visit, |range| {
                let block = range.map(|range| (range.start, || Cow::Borrowed(function.text(range))));
                blocks.borrow_mut().block(block)
            }),
            Some(function) => function.walk(file, visit),
            None => item.walk_blocks(visit, |range| {
                let block = range.map(|range| (range.start, || Cow::from(text.byte_slice(range))));
                blocks.borrow_mut().block(block)
            }),
        }
        blocks.into_inner().take_skipped_atomics(&mut walk.atomics);
        (!walk.is_cancelled).then_some(walk)
    }
}
