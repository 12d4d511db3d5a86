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
            ADDRESS_SPACE = Warning("address-space", "lints/src/rules/addresses/address_space.md").unsafe_fixes(), flow addresses::address_space;
            ASM_CLOBBER = Error("asm-clobber", "lints/src/rules/asm/clobber.md"), asm clobber;
            ASM_CONSTRAINT = Error("asm-constraint", "lints/src/rules/asm/constraint.md"), asm constraint;
            ASM_HIDDEN_ORDER = Warning("asm-hidden-order", "lints/src/rules/asm/hidden_order.md").strict().split_from(ASM_MISSING_MEMORY.code);
            ASM_HIDDEN_WRITE = Info("asm-hidden-write", "lints/src/rules/asm/hidden_write.md").strict().split_from(ASM_MISSING_MEMORY.code);
            ASM_MISSING_COMMA = Warning("asm-missing-comma", "lints/src/rules/asm/comma.md"), asm comma;
            ASM_MISSING_MEMORY = Warning("asm-missing-memory", "lints/src/rules/asm/memory.md"), asm memory;
            ASM_MISSING_VOLATILE = Warning("asm-missing-volatile", "lints/src/rules/asm/volatile.md"), asm volatile;
            ASM_NEEDLESS_READ = Warning("asm-needless-read", "lints/src/rules/asm/read_write.md").strict(), asm read_write;
            ASM_OPERAND_NUMBER = Error("asm-operand-number", "lints/src/rules/asm/operand_number.md"), asm operand_number;
            ASM_OPERAND_WIDTH = Warning("asm-operand-width", "lints/src/rules/asm/width.md");
            ASM_PARTIAL_ARRIVAL = Warning("asm-partial-arrival", "lints/src/rules/asm/partial_arrival.md").strict();
            ASM_REPLICATED_ATOMIC = Warning("asm-replicated-atomic", "lints/src/rules/asm/replicated.md").strict();
            ASM_TEMPLATE = Error("asm-template", "lints/src/rules/asm/template.md"), asm template;
            ASM_UNINITIALIZED_OUTPUT = Warning("asm-uninitialized-output", "lints/src/rules/asm/uninitialized.md").unsafe_fixes(), asm uninitialized;
            ASM_UNUSED_INPUT = Warning("asm-unused-input", "lints/src/rules/asm/unused_input.md").strict().split_from(ASM_UNUSED_OPERAND.code);
            ASM_UNUSED_OPERAND = Warning("asm-unused-operand", "lints/src/rules/asm/unused.md"), asm unused;
            ASSEMBLER_CRASH = Warning("assembler-crash", "lints/src/rules/instructions/assembler_crash.md"), flow instructions::assembler_crash;
            CHECK_REFUTED = Error("check-refuted", "lints/src/rules/comments/launches/check_refuted.md").subject(Subject::Launch);
            CHECK_TERMINATION = Info("check-termination", "lints/src/rules/comments/launches/check_termination.md").subject(Subject::Launch);
            CHECK_UNDECIDED = Error("check-undecided", "lints/src/rules/comments/launches/check_undecided.md").subject(Subject::Launch);
            CHECK_UNORDERED = Info("check-unordered", "lints/src/rules/comments/launches/check_unordered.md").subject(Subject::Launch);
            CLUSTER_SCOPE = Warning("cluster-scope", "lints/src/rules/scopes/cluster_scope.md"), sync scopes::cluster_scope;
            CONFLICTING_DECLARATION = Error("conflicting-declaration", "legality/src/directives/conflicting_declaration.md").subject(Subject::Module);
            CONFLICTING_DIRECTIVES = Error("conflicting-directives", "legality/src/directives/conflicting_directives.md").subject(Subject::Module).unsafe_fixes();
            CONFLICTING_MODIFIERS = Error(ReasonCode::ConflictingModifiers.as_str(), "legality/src/instructions/conflicting_modifiers.md").subject(Subject::Modifiers);
            DEAD_ATOMIC = Warning("dead-atomic", "lints/src/rules/atomics/dead_atomic.md").tag(Tag::Unnecessary), flow atomics::dead_atomic;
            DEPRECATED_MEMBAR = Hint("deprecated-membar", "lints/src/rules/order/deprecated_membar.md").style().tag(Tag::Deprecated);
            DIRECTIVE_RANGE = Error("directive-range", "legality/src/directives/directive_range.md").subject(Subject::Module);
            DIVERGENT_BARRIER = Warning("divergent-barrier", "lints/src/rules/barriers/divergent_barrier.md"), sync barriers::divergent_barrier;
            DOUBLED_FENCE = Info("doubled-fence", "lints/src/rules/order/doubled_fence.md").strict().tag(Tag::Unnecessary), flow order::doubled_fence;
            DUPLICATE_DECLARATION = Error("duplicate-declaration", "legality/src/directives/duplicate_declaration.md").subject(Subject::Operands);
            DUPLICATE_LANE = Warning("duplicate-lane", "lints/src/rules/atomics/duplicate_lane.md").unsafe_fixes(), flow atomics::duplicate_lane;
            DUPLICATE_MODIFIER = Error(ReasonCode::DuplicateModifier.as_str(), "legality/src/instructions/duplicate_modifier.md").subject(Subject::Modifiers);
            EARLY_ACCESS_BEFORE_GRIDDEPCONTROL = Warning("early-access-before-griddepcontrol", "lints/src/rules/asynchronous/early_access_before_griddepcontrol.md").strict(), sync asynchronous::early_access_before_griddepcontrol;
            EMULATED_ATOMIC = Info("emulated-atomic", "lints/src/rules/atomics/emulated_atomic.md").strict().split_from(HIDDEN_LOOP.code);
            EVALUATION_MISMATCH = Error("evaluation-mismatch", "lints/src/rules/comments/evaluation_mismatch.md").unsafe_fixes();
            EVALUATION_UNREADABLE = Error("evaluation-unreadable", "lints/src/rules/comments/evaluation_unreadable.md").unsafe_fixes();
            FLUSHED_SUBNORMALS = Info("flushed-subnormals", "lints/src/rules/atomics/flushed_subnormals.md").strict().unsafe_fixes(), flow atomics::flushed_subnormals;
            GENERIC_RED = Info("generic-red", "lints/src/rules/atomics/generic_red.md").strict(), flow atomics::generic_red;
            GUARD_ADMITS_TARGET = Warning("guard-admits-target", "lints/src/rules/asm/guard.md");
            GUARD_TYPE = Error("guard-type", "legality/src/operands/guard_type.md").subject(Subject::Operands);
            HANDMADE_ATOMIC = Info("handmade-atomic", "lints/src/rules/atomics/handmade_atomic.md").strict(), flow atomics::handmade_atomic;
            HIDDEN_LOOP = Warning("hidden-loop", "lints/src/rules/atomics/hidden_loop.md"), flow atomics::hidden_loop;
            ILLEGAL_ADDRESS_SIZE = Error("illegal-address-size", "lints/src/rules/module/illegal_address_size.md").subject(Subject::Module);
            ILLEGAL_MODIFIER = Error(ReasonCode::IllegalModifier.as_str(), "legality/src/instructions/illegal_modifier.md");
            ILLEGAL_TARGET_OPTION = Error(ReasonCode::IllegalTargetOption.as_str(), "legality/src/instructions/illegal_target_option.md");
            ILLEGAL_TYPE = Error(ReasonCode::IllegalType.as_str(), "legality/src/instructions/illegal_type.md");
            IMPLICIT_CTA = Hint("implicit-cta", "lints/src/rules/scopes/implicit_cta.md").style().tag(Tag::Deprecated), flow scopes::implicit_cta;
            IMPLICIT_SCOPE = Hint("implicit-scope", "lints/src/rules/scopes/implicit_scope.md").style(), flow scopes::implicit_scope;
            INVALID_ALIGNMENT = Error("invalid-alignment", "legality/src/directives/invalid_alignment.md").subject(Subject::Operands).unsafe_fixes();
            INVALID_CONSTANT = Error("invalid-constant", "lints/src/rules/module/invalid_constant.md").subject(Subject::Operands);
            INVALID_DECLARATION = Error("invalid-declaration", "legality/src/directives/invalid_declaration.md").subject(Subject::Operands).unsafe_fixes();
            INVALID_INITIAL_VALUE = Error("invalid-initial-value", "legality/src/directives/invalid_initial_value.md").subject(Subject::Module);
            MAYBE_DIVERGENT_BARRIER = Warning("maybe-divergent-barrier", "lints/src/rules/barriers/maybe_divergent_barrier.md").strict();
            MBARRIER_PROTOCOL = Warning("mbarrier-protocol", "lints/src/rules/asynchronous/mbarrier_protocol.md"), sync asynchronous::mbarrier_protocol;
            MISALIGNED_ADDRESS = Error("misaligned-address", "legality/src/operands/misaligned_address.md").subject(Subject::Operands);
            MISALIGNED_OFFSET = Warning("misaligned-offset", "lints/src/rules/addresses/misaligned_offset.md"), flow addresses::misaligned_offset;
            MISSING_BARRIER = Warning("missing-barrier", "lints/src/rules/barriers/missing_barrier.md");
            MISSING_DIRECTIVE = Error("missing-directive", "lints/src/rules/module/missing_directive.md").subject(Subject::Module).unsafe_fixes();
            MISSING_MODIFIER = Error(ReasonCode::MissingModifier.as_str(), "legality/src/instructions/missing_modifier.md");
            MISSING_PROXY_FENCE = Warning("missing-proxy-fence", "lints/src/rules/asynchronous/missing_proxy_fence.md"), sync asynchronous::missing_proxy_fence;
            MISSING_WARP_BARRIER = Warning("missing-warp-barrier", "lints/src/rules/barriers/missing_warp_barrier.md");
            MIXED_SCOPES = Warning("mixed-scopes", "lints/src/rules/scopes/mixed_scopes.md").strict();
            MODIFIER_ORDER = Hint("modifier-order", "legality/src/instructions/modifier_order.md").style();
            MULTIMEM_ADDRESS = Warning("multimem-address", "lints/src/rules/atomics/multimem_address.md").strict(), flow atomics::multimem_address;
            NARROW_ADDRESS = Warning("narrow-address", "legality/src/operands/narrow_address.md").subject(Subject::Operands);
            NARROW_SCOPE = Warning("narrow-scope", "lints/src/rules/scopes/narrow_scope.md").strict().unsafe_fixes(), flow scopes::narrow_scope;
            NC_OF_WRITTEN = Warning("nc-of-written", "lints/src/rules/addresses/nc_of_written.md"), sync addresses::nc_of_written;
            OFFSET_OUTSIDE = Warning("offset-outside", "lints/src/rules/addresses/offset_outside.md"), flow addresses::offset_outside;
            OFFSET_RANGE = Error("offset-range", "legality/src/operands/offset_range.md").subject(Subject::Operands);
            ONE_SIDED_ORDER = Warning("one-sided-order", "lints/src/rules/order/one_sided_order.md").strict();
            OPERAND_COUNT = Error("operand-count", "legality/src/operands/operand_count.md").subject(Subject::Operands);
            OPERAND_KIND = Error("operand-kind", "legality/src/operands/operand_kind.md").subject(Subject::Operands);
            OPERAND_RANGE = Error("operand-range", "legality/src/operands/operand_range.md").subject(Subject::Operands);
            OPERAND_TYPE = Error("operand-type", "legality/src/operands/operand_type.md").subject(Subject::Operands);
            OUTCOME_ALLOWED = Error("outcome-allowed", "lints/src/rules/comments/outcome_allowed.md").unsafe_fixes();
            OUTCOME_FORBIDDEN = Error("outcome-forbidden", "lints/src/rules/comments/outcome_forbidden.md");
            OUTCOME_UNDECIDED = Error("outcome-undecided", "lints/src/rules/comments/outcome_undecided.md");
            PARTIAL_ARRIVAL = Warning("partial-arrival", "lints/src/rules/asynchronous/partial_arrival.md").strict(), sync asynchronous::partial_arrival;
            POLL_WITHOUT_ACQUIRE = Warning("poll-without-acquire", "lints/src/rules/order/poll_without_acquire.md").strict();
            RACING_ACCESS = Warning("racing-access", "lints/src/rules/order/racing_access.md").strict(), sync order::racing_access;
            REGISTER_PAIR = Error("register-pair", "legality/src/operands/register_pair.md").subject(Subject::Operands);
            REQUIRES_PTX_VERSION = Error(ReasonCode::RequiresPtxVersion.as_str(), "legality/src/instructions/requires_ptx_version.md");
            REQUIRES_TARGET = Error(ReasonCode::RequiresTarget.as_str(), "legality/src/instructions/requires_target.md");
            REUSED_BEFORE_READ = Warning("reused-before-read", "lints/src/rules/barriers/reused_before_read.md");
            RUN_MISMATCH = Error("run-mismatch", "lints/src/rules/comments/launches/run_mismatch.md").subject(Subject::Launch).unsafe_fixes();
            RUN_PROBLEM = Error("run-problem", "lints/src/rules/comments/launches/run_problem.md").subject(Subject::Launch);
            RUN_UNREADABLE = Error("run-unreadable", "lints/src/rules/comments/launches/run_unreadable.md").subject(Subject::Launch).unsafe_fixes();
            SIGNAL_WITHOUT_RELEASE = Warning("signal-without-release", "lints/src/rules/order/signal_without_release.md").strict(), sync order::signal_without_release;
            SYNTAX_ERROR = Error("syntax-error", "lints/src/rules/module/syntax_error.md").subject(Subject::Syntax);
            SYSTEM_SCOPE = Warning("system-scope", "lints/src/rules/scopes/system_scope.md"), sync scopes::system_scope;
            TORN_ACCESS = Warning("torn-access", "lints/src/rules/atomics/torn_access.md"), flow atomics::torn_access;
            TRUNCATED_IMMEDIATE = Warning("truncated-immediate", "lints/src/rules/instructions/truncated_immediate.md").unsafe_fixes(), flow instructions::truncated_immediate;
            UNACQUIRED_FLAG = Warning("unacquired-flag", "lints/src/rules/order/unacquired_flag.md"), sync order::unacquired_flag;
            UNCOMMITTED_ASYNC = Warning("uncommitted-async", "lints/src/rules/asynchronous/uncommitted_async.md"), sync asynchronous::uncommitted_async;
            UNFENCED_MBARRIER = Warning("unfenced-mbarrier", "lints/src/rules/asynchronous/unfenced_mbarrier.md").strict();
            UNGUARDED_STORE = Warning("unguarded-store", "lints/src/rules/order/unguarded_store.md").strict(), flow order::unguarded_store;
            UNKNOWN_INSTRUCTION = Error(ReasonCode::UnknownInstruction.as_str(), "legality/src/instructions/unknown_instruction.md").subject(Subject::Name);
            UNKNOWN_MODIFIER = Error(ReasonCode::UnknownModifier.as_str(), "legality/src/instructions/unknown_modifier.md").subject(Subject::Modifier);
            UNKNOWN_NAME = Error("unknown-name", "legality/src/operands/unknown_name.md").subject(Subject::Module);
            UNKNOWN_TARGET = Error(ReasonCode::UnknownTarget.as_str(), "lints/src/rules/module/unknown_target.md").subject(Subject::Module).unsafe_fixes();
            UNKNOWN_TO_TOOLKIT = Error("unknown-to-toolkit", "lints/src/rules/module/unknown_to_toolkit.md").unsafe_fixes();
            UNKNOWN_VERSION = Error(ReasonCode::UnknownVersion.as_str(), "lints/src/rules/module/unknown_version.md").subject(Subject::Module).unsafe_fixes();
            UNORDERED_LOCK = Warning("unordered-lock", "lints/src/rules/order/unordered_lock.md"), flow order::unordered_lock;
            UNORDERED_SUM = Hint("unordered-sum", "lints/src/rules/atomics/unordered_sum.md").style(), flow atomics::unordered_sum;
            UNREADABLE_SUPPRESSION = Warning("unreadable-suppression", "lints/src/rules/comments/unreadable_suppression.md");
            UNRELEASED_FLAG = Warning("unreleased-flag", "lints/src/rules/order/unreleased_flag.md"), sync order::unreleased_flag;
            UNSUPPORTED_DIRECTIVE = Error("unsupported-directive", "legality/src/directives/unsupported_directive.md").subject(Subject::Module);
            UNUSED_RESULT = Info("unused-result", "lints/src/rules/atomics/unused_result.md").strict(), flow atomics::unused_result;
            UNUSED_SUPPRESSION = Warning("unused-suppression", "lints/src/rules/comments/unused_suppression.md").tag(Tag::Unnecessary);
            VECTOR_SIZE = Error("vector-size", "legality/src/operands/vector_size.md").subject(Subject::Operands);
            VOLATILE_ACCESS = Hint("volatile-access", "lints/src/rules/scopes/volatile_access.md").style().tag(Tag::Deprecated).unsafe_fixes();
            WARP_LOCK = Warning("warp-lock", "lints/src/rules/barriers/warp_lock.md").strict(), sync barriers::warp_lock;
            WRONG_SPACE = Error("wrong-space", "legality/src/operands/wrong_space.md").subject(Subject::Operands);
        }
    };
}

macro_rules! rules {
    ($($name:ident = $severity:ident($code:expr, $page:literal) $(.$what:ident($($how:expr)?))*
        $(, flow $($flow:ident)::+)? $(, sync $($sync:ident)::+)? $(, asm $asm:ident)?;)*) => {
        $(
            #[doc = concat!("See `", $page, "`.")]
            pub static $name: Rule =
                Rule::new(Severity::$severity, $code, include_str!(concat!("../../", $page)))$(.$what($($how)?))*;
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
