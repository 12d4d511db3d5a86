//! Runs the rules that use data flow, and those about synchronization.

use crate::driver::lint_driver::LintDriver;
use crate::rules::order::{signal_without_release, unacquired_flag};
use analysis::effects::{FunctionEffects, Trigger};
use analysis::values::FunctionValues;
use diagnostics::{Diagnostic, Preset, Rule, rows};
use legality::flag_facts::FlagFacts;
use legality::flag_facts::FlagPlace;
use syntax::Item;

impl LintDriver<'_> {
    /// Checks the rules on the data flow of a function with atomics.
    pub(crate) fn check_data_flow(&self, flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
        let needed = ON_DATA_FLOW.iter().filter(|(rule, _)| self.is_needed(rule));
        needed.for_each(|(_, check)| check(flow, diagnostics));
    }

    /// Checks the rules about synchronization, given its item, what the function contains and the memory that other GPUs or the host share.
    pub(crate) fn check_synchronisation(
        &mut self,
        flow: &FunctionValues,
        item: &Item,
        (triggers, system_memory): (Trigger, Vec<String>),
        diagnostics: &mut Vec<Diagnostic>,
    ) -> FlagFacts {
        let effects = FunctionEffects::new(flow, triggers, system_memory, &mut self.opcode_effects);
        let needed = ON_SYNCHRONISATION.iter().filter(|(rule, _)| self.is_needed(rule));
        needed.for_each(|(_, check)| check(&effects, diagnostics));
        record_flags(&effects, item)
    }

    /// Whether to check a rule on data flow. One of the preset `strict` reports nothing else; another may report a rule that was split from it, too.
    fn is_needed(&self, rule: &Rule) -> bool {
        rule.preset == Preset::Recommended || self.module.reports(rule)
    }
}

/// What a function does with flags, and what its calls do around them.
fn record_flags(effects: &FunctionEffects, item: &Item) -> FlagFacts {
    let mut facts = FlagFacts::default();
    if effects.triggers.has(Trigger::CALL) || !effects.flow.is_entry() {
        let place = FlagPlace::of(item);
        unacquired_flag::record(effects, &place, &mut facts);
        signal_without_release::record(effects, &place, &mut facts);
    }
    facts
}

// The rules that use data flow, and those about synchronization, with their checks.
macro_rules! on_data_flow {
    ($($name:ident = $severity:ident($code:expr, $page:literal) $(.$what:ident($($how:expr)?))*
        $(, flow $($check:ident)::+)? $(, sync $($sync:ident)::+)? $(, asm $asm:ident)?;)*) => {
        const ON_DATA_FLOW: &[(&Rule, fn(&FunctionValues, &mut Vec<Diagnostic>))] =
            &[$($((&diagnostics::registry::$name, crate::rules::$($check)::+::check),)?)*];

        const ON_SYNCHRONISATION: &[(&Rule, fn(&FunctionEffects, &mut Vec<Diagnostic>))] =
            &[$($((&diagnostics::registry::$name, crate::rules::$($sync)::+::check),)?)*];
    };
}

rows!(on_data_flow);
