//! The registry: one row of metadata per rule.
//!
//! A row has the severity, the code, the page, other attributes, and the module of the check if it uses data flow (`flow`), checks
//! synchronization (`sync`) or checks `asm` statements (`asm`). The driver calls all other checks directly.

use super::rule::{Rule, Subject, Tag};
use super::severity::Severity;
use isa::ReasonCode;

/// Passes all rows to a macro. This crate expands them to rules, and `lints` to lists of checks.
#[macro_export]
macro_rules! rows {
    ($expand:ident) => {
        $expand! {
            ADDRESS_SPACE = Warning("address-space", "address_space.md").unsafe_fixes(), flow address_space;
            ASM_CLOBBER = Error("asm-clobber", "asm/clobber.md"), asm clobber;
            ASM_CONSTRAINT = Error("asm-constraint", "asm/constraint.md"), asm constraint;
            ASM_HIDDEN_ORDER = Warning("asm-hidden-order", "asm/hidden_order.md").strict().split_from(ASM_MISSING_MEMORY.code);
            ASM_HIDDEN_WRITE = Info("asm-hidden-write", "asm/hidden_write.md").strict().split_from(ASM_MISSING_MEMORY.code);
            ASM_MISSING_COMMA = Warning("asm-missing-comma", "asm/comma.md"), asm comma;
            ASM_MISSING_MEMORY = Warning("asm-missing-memory", "asm/memory.md"), asm memory;
            ASM_MISSING_VOLATILE = Warning("asm-missing-volatile", "asm/volatile.md"), asm volatile;
            ASM_NEEDLESS_READ = Warning("asm-needless-read", "asm/read_write.md").strict(), asm read_write;
            ASM_OPERAND_NUMBER = Error("asm-operand-number", "asm/operand_number.md"), asm operand_number;
            ASM_OPERAND_WIDTH = Warning("asm-operand-width", "asm/width.md");
            ASM_PARTIAL_ARRIVAL = Warning("asm-partial-arrival", "asm/partial_arrival.md").strict();
            ASM_REPLICATED_ATOMIC = Warning("asm-replicated-atomic", "asm/replicated.md").strict();
            ASM_TEMPLATE = Error("asm-template", "asm/template.md"), asm template;
            ASM_UNINITIALIZED_OUTPUT = Warning("asm-uninitialized-output", "asm/uninitialized.md").unsafe_fixes(), asm uninitialized;
            ASM_UNUSED_INPUT = Warning("asm-unused-input", "asm/unused_input.md").strict().split_from(ASM_UNUSED_OPERAND.code);
            ASM_UNUSED_OPERAND = Warning("asm-unused-operand", "asm/unused.md"), asm unused;
            ASSEMBLER_CRASH = Warning("assembler-crash", "assembler_crash.md"), flow assembler_crash;
            CHECK_REFUTED = Error("check-refuted", "launches/check_refuted.md").subject(Subject::Launch);
            CHECK_TERMINATION = Info("check-termination", "launches/check_termination.md").subject(Subject::Launch);
            CHECK_UNDECIDED = Error("check-undecided", "launches/check_undecided.md").subject(Subject::Launch);
            CHECK_UNORDERED = Info("check-unordered", "launches/check_unordered.md").subject(Subject::Launch);
            CLUSTER_SCOPE = Warning("cluster-scope", "cluster_scope.md"), sync cluster_scope;
            CONFLICTING_DECLARATION = Error("conflicting-declaration", "directives/conflicting_declaration.md").subject(Subject::Module);
            CONFLICTING_DIRECTIVES = Error("conflicting-directives", "directives/conflicting_directives.md").subject(Subject::Module).unsafe_fixes();
            CONFLICTING_MODIFIERS = Error(ReasonCode::ConflictingModifiers.as_str(), "conflicting_modifiers.md").subject(Subject::Modifiers);
            DEAD_ATOMIC = Warning("dead-atomic", "dead_atomic.md").tag(Tag::Unnecessary), flow dead_atomic;
            DEPRECATED_MEMBAR = Hint("deprecated-membar", "deprecated_membar.md").style().tag(Tag::Deprecated);
            DIRECTIVE_RANGE = Error("directive-range", "directives/directive_range.md").subject(Subject::Module);
            DIVERGENT_BARRIER = Warning("divergent-barrier", "divergent_barrier.md"), sync divergent_barrier;
            DOUBLED_FENCE = Info("doubled-fence", "doubled_fence.md").strict().tag(Tag::Unnecessary), flow doubled_fence;
            DUPLICATE_DECLARATION = Error("duplicate-declaration", "directives/duplicate_declaration.md").subject(Subject::Operands);
            DUPLICATE_LANE = Warning("duplicate-lane", "duplicate_lane.md").unsafe_fixes(), flow duplicate_lane;
            DUPLICATE_MODIFIER = Error(ReasonCode::DuplicateModifier.as_str(), "duplicate_modifier.md").subject(Subject::Modifiers);
            EARLY_ACCESS_BEFORE_GRIDDEPCONTROL = Warning("early-access-before-griddepcontrol", "early_access_before_griddepcontrol.md").strict(), sync early_access_before_griddepcontrol;
            EMULATED_ATOMIC = Info("emulated-atomic", "emulated_atomic.md").strict().split_from(HIDDEN_LOOP.code);
            EVALUATION_MISMATCH = Error("evaluation-mismatch", "evaluation_mismatch.md").unsafe_fixes();
            EVALUATION_UNREADABLE = Error("evaluation-unreadable", "evaluation_unreadable.md").unsafe_fixes();
            FLUSHED_SUBNORMALS = Info("flushed-subnormals", "flushed_subnormals.md").strict().unsafe_fixes(), flow flushed_subnormals;
            GENERIC_RED = Info("generic-red", "generic_red.md").strict(), flow generic_red;
            GUARD_ADMITS_TARGET = Warning("guard-admits-target", "asm/guard.md");
            GUARD_TYPE = Error("guard-type", "guard_type.md").subject(Subject::Operands);
            HANDMADE_ATOMIC = Info("handmade-atomic", "handmade_atomic.md").strict(), flow handmade_atomic;
            HIDDEN_LOOP = Warning("hidden-loop", "hidden_loop.md"), flow hidden_loop;
            ILLEGAL_ADDRESS_SIZE = Error("illegal-address-size", "illegal_address_size.md").subject(Subject::Module);
            ILLEGAL_MODIFIER = Error(ReasonCode::IllegalModifier.as_str(), "illegal_modifier.md");
            ILLEGAL_TARGET_OPTION = Error(ReasonCode::IllegalTargetOption.as_str(), "illegal_target_option.md");
            ILLEGAL_TYPE = Error(ReasonCode::IllegalType.as_str(), "illegal_type.md");
            IMPLICIT_CTA = Hint("implicit-cta", "implicit_cta.md").style().tag(Tag::Deprecated), flow implicit_cta;
            IMPLICIT_SCOPE = Hint("implicit-scope", "implicit_scope.md").style(), flow implicit_scope;
            INVALID_ALIGNMENT = Error("invalid-alignment", "directives/invalid_alignment.md").subject(Subject::Operands).unsafe_fixes();
            INVALID_CONSTANT = Error("invalid-constant", "invalid_constant.md").subject(Subject::Operands);
            INVALID_DECLARATION = Error("invalid-declaration", "directives/invalid_declaration.md").subject(Subject::Operands).unsafe_fixes();
            INVALID_INITIAL_VALUE = Error("invalid-initial-value", "directives/invalid_initial_value.md").subject(Subject::Module);
            MAYBE_DIVERGENT_BARRIER = Warning("maybe-divergent-barrier", "maybe_divergent_barrier.md").strict();
            MBARRIER_PROTOCOL = Warning("mbarrier-protocol", "mbarrier_protocol.md"), sync mbarrier_protocol;
            MISALIGNED_ADDRESS = Error("misaligned-address", "misaligned_address.md").subject(Subject::Operands);
            MISALIGNED_OFFSET = Warning("misaligned-offset", "misaligned_offset.md"), flow misaligned_offset;
            MISSING_DIRECTIVE = Error("missing-directive", "missing_directive.md").subject(Subject::Module).unsafe_fixes();
            MISSING_MODIFIER = Error(ReasonCode::MissingModifier.as_str(), "missing_modifier.md");
            MISSING_PROXY_FENCE = Warning("missing-proxy-fence", "missing_proxy_fence.md"), sync missing_proxy_fence;
            MIXED_SCOPES = Warning("mixed-scopes", "mixed_scopes.md").strict();
            MODIFIER_ORDER = Hint("modifier-order", "modifier_order.md").style();
            MULTIMEM_ADDRESS = Warning("multimem-address", "multimem_address.md").strict(), flow multimem_address;
            NARROW_ADDRESS = Warning("narrow-address", "narrow_address.md").subject(Subject::Operands);
            NARROW_SCOPE = Warning("narrow-scope", "narrow_scope.md").strict().unsafe_fixes(), flow narrow_scope;
            NC_OF_WRITTEN = Warning("nc-of-written", "nc_of_written.md"), sync nc_of_written;
            OFFSET_OUTSIDE = Warning("offset-outside", "offset_outside.md"), flow offset_outside;
            OFFSET_RANGE = Error("offset-range", "offset_range.md").subject(Subject::Operands);
            ONE_SIDED_ORDER = Warning("one-sided-order", "one_sided_order.md").strict();
            OPERAND_COUNT = Error("operand-count", "operand_count.md").subject(Subject::Operands);
            OPERAND_KIND = Error("operand-kind", "operand_kind.md").subject(Subject::Operands);
            OPERAND_RANGE = Error("operand-range", "operand_range.md").subject(Subject::Operands);
            OPERAND_TYPE = Error("operand-type", "operand_type.md").subject(Subject::Operands);
            OUTCOME_ALLOWED = Error("outcome-allowed", "outcome_allowed.md").unsafe_fixes();
            OUTCOME_FORBIDDEN = Error("outcome-forbidden", "outcome_forbidden.md");
            OUTCOME_UNDECIDED = Error("outcome-undecided", "outcome_undecided.md");
            PARTIAL_ARRIVAL = Warning("partial-arrival", "partial_arrival.md").strict(), sync partial_arrival;
            POLL_WITHOUT_ACQUIRE = Warning("poll-without-acquire", "poll_without_acquire.md").strict();
            RACING_ACCESS = Warning("racing-access", "racing_access.md").strict(), sync racing_access;
            REGISTER_PAIR = Error("register-pair", "register_pair.md").subject(Subject::Operands);
            REQUIRES_PTX_VERSION = Error(ReasonCode::RequiresPtxVersion.as_str(), "requires_ptx_version.md");
            REQUIRES_TARGET = Error(ReasonCode::RequiresTarget.as_str(), "requires_target.md");
            RUN_MISMATCH = Error("run-mismatch", "launches/run_mismatch.md").subject(Subject::Launch).unsafe_fixes();
            RUN_PROBLEM = Error("run-problem", "launches/run_problem.md").subject(Subject::Launch);
            RUN_UNREADABLE = Error("run-unreadable", "launches/run_unreadable.md").subject(Subject::Launch).unsafe_fixes();
            SIGNAL_WITHOUT_RELEASE = Warning("signal-without-release", "signal_without_release.md").strict(), sync signal_without_release;
            SYNTAX_ERROR = Error("syntax-error", "syntax_error.md").subject(Subject::Syntax);
            SYSTEM_SCOPE = Warning("system-scope", "system_scope.md"), sync system_scope;
            TORN_ACCESS = Warning("torn-access", "torn_access.md"), flow torn_access;
            TRUNCATED_IMMEDIATE = Warning("truncated-immediate", "truncated_immediate.md").unsafe_fixes(), flow truncated_immediate;
            UNACQUIRED_FLAG = Warning("unacquired-flag", "unacquired_flag.md"), sync unacquired_flag;
            UNCOMMITTED_ASYNC = Warning("uncommitted-async", "uncommitted_async.md"), sync uncommitted_async;
            UNFENCED_MBARRIER = Warning("unfenced-mbarrier", "unfenced_mbarrier.md").strict();
            UNGUARDED_STORE = Warning("unguarded-store", "unguarded_store.md").strict(), flow unguarded_store;
            UNKNOWN_INSTRUCTION = Error(ReasonCode::UnknownInstruction.as_str(), "unknown_instruction.md").subject(Subject::Name);
            UNKNOWN_MODIFIER = Error(ReasonCode::UnknownModifier.as_str(), "unknown_modifier.md").subject(Subject::Modifier);
            UNKNOWN_NAME = Error("unknown-name", "unknown_name.md").subject(Subject::Module);
            UNKNOWN_TARGET = Error(ReasonCode::UnknownTarget.as_str(), "unknown_target.md").subject(Subject::Module).unsafe_fixes();
            UNKNOWN_TO_TOOLKIT = Error("unknown-to-toolkit", "unknown_to_toolkit.md").unsafe_fixes();
            UNKNOWN_VERSION = Error(ReasonCode::UnknownVersion.as_str(), "unknown_version.md").subject(Subject::Module).unsafe_fixes();
            UNORDERED_LOCK = Warning("unordered-lock", "unordered_lock.md"), flow unordered_lock;
            UNORDERED_SUM = Hint("unordered-sum", "unordered_sum.md").style(), flow unordered_sum;
            UNREADABLE_SUPPRESSION = Warning("unreadable-suppression", "unreadable_suppression.md");
            UNRELEASED_FLAG = Warning("unreleased-flag", "unreleased_flag.md"), sync unreleased_flag;
            UNSUPPORTED_DIRECTIVE = Error("unsupported-directive", "directives/unsupported_directive.md").subject(Subject::Module);
            UNUSED_RESULT = Info("unused-result", "unused_result.md").strict(), flow unused_result;
            UNUSED_SUPPRESSION = Warning("unused-suppression", "unused_suppression.md").tag(Tag::Unnecessary);
            VECTOR_SIZE = Error("vector-size", "vector_size.md").subject(Subject::Operands);
            VOLATILE_ACCESS = Hint("volatile-access", "volatile_access.md").style().tag(Tag::Deprecated).unsafe_fixes();
            WARP_LOCK = Warning("warp-lock", "warp_lock.md").strict(), sync warp_lock;
            WRONG_SPACE = Error("wrong-space", "wrong_space.md").subject(Subject::Operands);
        }
    };
}

macro_rules! rules {
    ($($name:ident = $severity:ident($code:expr, $page:literal) $(.$what:ident($($how:expr)?))*
        $(, flow $flow:ident)? $(, sync $sync:ident)? $(, asm $asm:ident)?;)*) => {
        $(
            #[doc = concat!("See `", $page, "`.")]
            pub static $name: Rule =
                Rule::new(Severity::$severity, $code, include_str!(concat!("../../lints/src/rules/", $page)))$(.$what($($how)?))*;
        )*

        /// Every rule, ordered by code.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rows!(rules);

/// The rule with a code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.binary_search_by_key(&code, |rule| rule.code).ok().map(|at| RULES[at])
}

/// The rule of a reason of the tables.
pub fn rule_for_reason(code: ReasonCode) -> &'static Rule {
    rule(code.as_str()).expect("every code of the tables has a rule")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_ordered_and_holds_every_code_of_the_tables() {
        assert!(RULES.is_sorted_by_key(|rule| rule.code));
        for code in ReasonCode::all() {
            assert_eq!(rule_for_reason(code).code, code.as_str());
        }
    }

    #[test]
    fn a_rule_that_was_split_off_comes_from_another() {
        for former in RULES.iter().filter_map(|rule| rule.split_from) {
            assert!(rule(former).is_some(), "unknown rule {former}");
        }
    }
}
