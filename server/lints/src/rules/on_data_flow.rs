//! Runs the rules that use data flow, and those about synchronization.

use super::{LintDriver, record_flags};
use crate::dataflow::{DataFlow, Trigger};
use crate::flag_facts::FlagFacts;
use crate::flow::Flow;
use diagnostics::{Diagnostic, Preset, Rule, rows};
use syntax::Item;

impl LintDriver<'_> {
    /// Checks the rules on the data flow of a function with atomics.
    pub(super) fn check_data_flow(&self, flow: &Flow, diagnostics: &mut Vec<Diagnostic>) {
        let needed = ON_DATA_FLOW.iter().filter(|(rule, _)| self.is_needed(rule));
        needed.for_each(|(_, check)| check(flow, diagnostics));
    }

    /// Checks the rules about synchronization, given its item, what the function contains and the memory that other GPUs or the host share.
    pub(super) fn check_synchronisation(
        &mut self,
        flow: &Flow,
        item: &Item,
        (triggers, system_memory): (Trigger, Vec<String>),
        diagnostics: &mut Vec<Diagnostic>,
    ) -> FlagFacts {
        let dataflow = DataFlow::new(flow, triggers, system_memory, &mut self.opcode_effects);
        let needed = ON_SYNCHRONISATION.iter().filter(|(rule, _)| self.is_needed(rule));
        needed.for_each(|(_, check)| check(&dataflow, diagnostics));
        record_flags(&dataflow, item)
    }

    /// Whether to check a rule on data flow. One of the preset `strict` reports nothing else; another may report a rule that was split from it, too.
    fn is_needed(&self, rule: &Rule) -> bool {
        rule.preset == Preset::Recommended || self.module.reports(rule)
    }
}

// The rules that use data flow, and those about synchronization, with their checks.
macro_rules! on_data_flow {
    ($($name:ident = $severity:ident($code:expr, $page:literal) $(.$what:ident($($how:expr)?))*
        $(, flow $check:ident)? $(, sync $sync:ident)? $(, asm $asm:ident)?;)*) => {
        const ON_DATA_FLOW: &[(&Rule, fn(&Flow, &mut Vec<Diagnostic>))] =
            &[$($((&diagnostics::registry::$name, super::$check::check),)?)*];

        const ON_SYNCHRONISATION: &[(&Rule, fn(&DataFlow, &mut Vec<Diagnostic>))] =
            &[$($((&diagnostics::registry::$name, super::$sync::check),)?)*];
    };
}

rows!(on_data_flow);
