//! The rules, and the driver that runs them in one walk over a module.

mod address_size;
mod address_space;
pub(crate) mod asm;
mod assembler_crash;
mod cluster_scope;
mod dead_atomic;
mod deprecated_membar;
mod directives;
mod divergent_barrier;
mod doubled_fence;
mod duplicate_lane;
mod early_access_before_griddepcontrol;
mod early_flow;
mod evaluation_mismatch;
mod flushed_subnormals;
mod generic_red;
mod handmade_atomic;
mod header;
mod hidden_loop;
mod implicit_cta;
mod implicit_scope;
mod instruction;
mod invalid_constant;
mod launches;
mod legality;
mod mbarrier_protocol;
mod misaligned_offset;
mod missing_proxy_fence;
mod mixed_scopes;
mod modifier_order;
mod multimem_address;
mod narrow_scope;
mod nc_of_written;
mod offset_outside;
mod on_data_flow;
mod one_sided_order;
mod operands;
mod outcomes;
mod partial_arrival;
mod racing_access;
mod short_loop;
mod signal_without_release;
mod syntax_error;
mod system_scope;
mod torn_access;
mod truncated_immediate;
mod unacquired_flag;
mod uncertain;
mod uncommitted_async;
mod undeclared_register;
mod unguarded_store;
mod unknown_to_toolkit;
mod unordered_lock;
mod unordered_sum;
mod unreleased_flag;
mod unused_result;
mod volatile_access;
mod warp_lock;

use crate::Coverage;
use crate::checker::BlockRecorder;
use crate::dataflow::{DataFlow, OpcodeEffects, Trigger};
use crate::flag_facts::{FlagFacts, FlagPlace};
use crate::flow::{EarlierItems, Flow, FlowGraph, FlowInput, LegalAtomic, OpcodeTable};
use crate::spellings::SpellingCache;
use crate::summary::Summary;
use diagnostics::suppressions::{self, MARKER};
use diagnostics::{Context, Diagnostic, Rule, Severity, Snapshot};
pub(crate) use directives::PRAGMA;
use evaluation_mismatch::ModuleState;
pub(crate) use operands::KnownNames;
use operands::StaleBlock;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use syntax::{Item, LintFile, Recovery, Rope, ScannedFunction, WalkEvent};
use undeclared_register::DeclarationPlace;

/// The directives of a module's header.
const HEADER: [&str; 3] = [".version", ".target", ".address_size"];

/// The number of instructions between two tests for cancellation.
const CANCELLATION_INTERVAL: usize = 4096;

/// The state of a walk over one item.
#[derive(Default)]
struct ItemWalk {
    /// The number of visited instructions.
    instructions: usize,
    is_cancelled: bool,
    /// What the rules about synchronization check.
    triggers: Trigger,
    /// The legal atomics without errors, by their offsets.
    atomics: Vec<LegalAtomic>,
    summary: Summary,
    place: DeclarationPlace,
}

/// An item, and its elements if they were scanned.
struct ScannedItem<'i, 'a> {
    item: &'i Item<'a>,
    scanned: Option<ScannedFunction>,
}

/// A module under check: what the checks of all its items read.
pub(crate) struct LintModule<'a> {
    snapshot: &'a Snapshot<LintFile>,
    pub(crate) context: Context<'a>,
    /// The statements and names that syntax errors make uncertain.
    recovery: Recovery,
    /// Whether there may be evaluation comments.
    pub(crate) evaluates: bool,
    /// Whether there may be `.pragma` directives.
    pub(crate) has_pragmas: bool,
    /// Whether the diagnostics of disabled rules are needed.
    pub(crate) reports_disabled: bool,
    /// Whether what calls do around flags is recorded. It is needed only if a function of the module only waits for a flag or sets one.
    pub(crate) records_calls: bool,
}

impl<'a> LintModule<'a> {
    /// Starts a check, and reports syntax errors.
    pub(crate) fn new(snapshot: &'a Snapshot<LintFile>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        syntax_error::check(&snapshot.file, diagnostics);
        let (context, recovery) = (Context::new(snapshot), Recovery::of(&snapshot.file));
        LintModule {
            snapshot,
            context,
            recovery,
            evaluates: true,
            has_pragmas: true,
            reports_disabled: true,
            records_calls: false,
        }
    }

    /// Whether an item has a syntax error, and whether its broken statements are known. Both may depend on the text around it.
    pub(crate) fn is_broken(&self, item: Range<usize>) -> (bool, bool) {
        (self.recovery.is_broken(item.clone()), self.recovery.statements(item).is_some())
    }

    /// Whether the diagnostics of a rule are needed.
    pub(crate) fn reports(&self, rule: &Rule) -> bool {
        self.reports_disabled || self.snapshot.settings.is_enabled(rule)
    }

    /// The text that is checked.
    pub(crate) fn text(&self) -> &'a Rope {
        self.snapshot.file.text()
    }

    /// Checks the module as a whole: its header, the summaries of its items, each with its start offset, and its litmus tests and launches, if
    /// it may contain any.
    pub(crate) fn finish(
        &self,
        module: &[Item],
        repeated: &[(usize, usize)],
        items: &[(usize, &CheckedItem)],
        litmus: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let summaries: Vec<_> = items.iter().map(|(base, item)| (*base, &item.summary)).collect();
        let is_header = |item: &Item| HEADER.contains(&&*item.directive().text);
        header::check(&self.context, !module.iter().all(is_header), diagnostics);
        unknown_to_toolkit::check(&self.context, diagnostics);
        address_size::check(&self.context, diagnostics);
        // A syntax error may hide the counterpart.
        if self.recovery.is_empty() && !self.snapshot.fragment {
            directives::check_module(&self.snapshot.file, module, repeated, &summaries, &self.context, diagnostics);
            one_sided_order::check(&summaries, diagnostics);
            let flags: Vec<_> = summaries.iter().map(|(base, summary)| (*base, &summary.flags)).collect();
            unacquired_flag::check_module(&flags, diagnostics);
            signal_without_release::check_module(&flags, diagnostics);
            let has_error = diagnostics.iter().any(|one| one.severity == Severity::Error);
            let state = if has_error { ModuleState::HasErrors } else { ModuleState::Runs };
            if litmus && state == ModuleState::Runs {
                launches::check(&self.snapshot.file, &self.context.module, diagnostics);
            }
            if litmus {
                outcomes::check(&self.snapshot.file, &self.context.module, diagnostics);
            }
            if summaries.iter().any(|(_, summary)| summary.lacks_values) {
                evaluation_mismatch::check_with_launches(self.snapshot, &self.context, state, diagnostics);
            }
        }
        mixed_scopes::check(&summaries, diagnostics);
    }
}

/// What a function does with flags, and what its calls do around them.
fn record_flags(dataflow: &DataFlow, item: &Item) -> FlagFacts {
    let mut facts = FlagFacts::default();
    if dataflow.triggers.has(Trigger::CALL) || !dataflow.flow.is_entry() {
        let place = FlagPlace::of(item);
        unacquired_flag::record(dataflow, &place, &mut facts);
        signal_without_release::record(dataflow, &place, &mut facts);
    }
    facts
}

/// Runs the rules on items of a module, in the order of the text.
pub(crate) struct LintDriver<'a> {
    module: &'a LintModule<'a>,
    /// The coverage so far.
    pub(crate) coverage: Coverage,
    operands: operands::OperandChecks<'a>,
    opcodes: legality::OpcodeCache,
    spellings: Rc<SpellingCache>,
    flow_opcodes: OpcodeTable<'a>,
    opcode_effects: OpcodeEffects,
    local_names: directives::LocalNames,
}

impl<'a> LintDriver<'a> {
    /// A driver at the start of a module.
    pub(crate) fn new(module: &'a LintModule<'a>) -> Self {
        LintDriver {
            module,
            coverage: Coverage::default(),
            operands: operands::OperandChecks::new(module.snapshot, &module.context),
            opcodes: legality::OpcodeCache::default(),
            spellings: Rc::default(),
            flow_opcodes: OpcodeTable::default(),
            opcode_effects: OpcodeEffects::default(),
            local_names: directives::LocalNames::default(),
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
        let flow_of = |broken| FlowInput {
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
                scope.spawn(move |_| *early = Some(FlowGraph::build(input, &names, opcodes)));
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
            let graph = early.unwrap_or_else(|| FlowGraph::build(input, self.operands.names(), opcodes));
            let flow = Flow::new(graph, context.module, &self.spellings, atomics);
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
        diagnostics.retain(|diagnostic| self.module.reports(diagnostic.rule));
        if self.module.evaluates {
            summary.lacks_values = evaluation_mismatch::check(snapshot, range, context, diagnostics);
        }
        Some(CheckedItem { summary })
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

/// The result of checking an item, without its diagnostics.
#[derive(Debug)]
pub(crate) struct CheckedItem {
    summary: Summary,
}

impl CheckedItem {
    /// What it does with flags, and what its calls do around them.
    pub(crate) fn flags(&self) -> &FlagFacts {
        &self.summary.flags
    }
}
