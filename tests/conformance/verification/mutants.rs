//! Each rule of the memory model that `check` follows matters: without it, the verdict on one of the kernels of `tests/evidence/verification` or
//! on one of the kernels here is another one.

use crate::checked::{CheckedLaunch, CheckedModule, sized};
use crate::schedules::{SOURCES, launches};
use kernel::arguments::launch::KernelLaunch;
use ordering::OrderRule;

/// The most states of a kernel: larger ones say no more.
const STATES: usize = 300;

/// A kernel of CTAs with one thread each; the last one traps if `%p` holds.
fn module(threads: &[&str]) -> String {
    let mut text = "\
.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 m)
{
	.reg .pred %p, %q;
	.reg .b32 %r, %a, %b, %c;
	.reg .b64 %m;
	ld.param.u64 %m, [m];
	mov.u32 %r, %ctaid.x;
"
    .to_owned();
    for (number, thread) in threads.iter().enumerate() {
        text += &format!("	setp.ne.u32 %p, %r, {number};\n	@%p bra NEXT{number};\n{thread}\n	ret;\nNEXT{number}:\n");
    }
    text + "	ret;\n}\n"
}

/// Kernels for the rules that the others do not need: a read that sees an old value, updates that overlap, fences that are not in each other's scope.
fn own() -> Vec<CheckedLaunch> {
    let stale = "\
	ld.relaxed.gpu.global.u32 %a, [%m];
	ld.relaxed.gpu.global.u32 %b, [%m];
	setp.lt.u32 %p, %b, %a;
	@%p trap;";
    let coherence = module(&["	st.relaxed.gpu.global.u32 [%m], 1;", stale]);
    let taken = "\
	atom.relaxed.gpu.global.exch.b32 %a, [%m], 1;
	setp.ne.u32 %p, %a, 0;
	@!%p st.global.u32 [%m+4], 1;";
    let atomicity = module(&[taken, taken]);
    let both = |scope: &str| {
        let thread = |own: u32, other: u32| {
            format!(
                "	st.relaxed.gpu.global.u32 [%m+{own}], 1;\n	fence.sc.{scope};\n	ld.relaxed.gpu.global.u32 %a, [%m+{other}];\n	\
                 setp.eq.u32 %p, %a, 0;\n	@%p st.global.u32 [%m+8], 1;"
            )
        };
        module(&[&thread(0, 4), &thread(4, 0)])
    };
    [coherence, atomicity, both("gpu"), both("cta")]
        .iter()
        .map(|text| CheckedModule::new(text).launch(&sized("k", 2, 1, &["m=u32[4]"])))
        .collect()
}

/// The kernels that are explored quickly, each with whether it has a problem.
fn kernels() -> Vec<(CheckedLaunch, bool)> {
    let folder = support::evidence("verification");
    let mut all = own();
    for source in SOURCES {
        let text = std::fs::read_to_string(folder.join(source).with_extension("ptx")).expect("a module");
        let module = CheckedModule::new(&text);
        for right in launches(&folder, source) {
            let name = right.kernel.replace("_right", "_wrong");
            let arguments = right.arguments.iter().map(|one| one.replace("_right", "_wrong")).collect();
            all.push(module.launch(&KernelLaunch { kernel: name, arguments, ..right.clone() }));
            all.push(module.launch(&right));
        }
    }
    let explored = all.into_iter().map(|launch| (launch.explored(STATES).0, launch));
    let ended = explored.filter(|(found, _)| found.unfinished().is_none());
    ended.map(|(found, launch)| (launch, !found.problems.is_empty())).collect()
}

#[test]
fn no_rule_can_be_left_out() {
    let kernels = kernels();
    assert!(kernels.len() > 200, "{} kernels", kernels.len());
    let matters = |rule: &OrderRule| {
        kernels.iter().any(|(launch, has_problem)| {
            let (found, _) = launch.explored_without(STATES, Some(*rule));
            found.unfinished().is_none() && found.problems.is_empty() == *has_problem
        })
    };
    // A write and a read that are not in the scopes of each other race, so no verdict can depend on whether the read observes the write.
    let is_implied = |rule: &OrderRule| *rule == OrderRule::ObservationScopes;
    let (implied, rules): (Vec<OrderRule>, Vec<OrderRule>) = OrderRule::ALL.into_iter().partition(is_implied);
    assert!(!implied.iter().any(matters), "a verdict depends on {implied:?}: it belongs to the others");
    let alive: Vec<OrderRule> = rules.into_iter().filter(|rule| !matters(rule)).collect();
    assert!(alive.is_empty(), "no verdict depends on these rules: {alive:?}");
}
