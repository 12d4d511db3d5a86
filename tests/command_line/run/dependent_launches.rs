//! Kernels that may begin before the end of the one before, by programmatic dependent launch: `--then "k programmatic …"`.

use crate::run_in;
use serde_json::Value;

/// Two kernels: each thread does what a text says with an element of `x`. `%e` is its address, and that of the other half is 64 bytes higher.
fn module(kernels: &[(&str, &str)]) -> String {
    let mut text = ".version 8.6\n.target sm_90\n.address_size 64\n".to_owned();
    for (name, body) in kernels {
        text += &format!(
            "\
.visible .entry {name}(.param .u64 x)
{{
	.reg .b32 %i, %v;
	.reg .b64 %x, %e;
	ld.param.u64 %x, [x];
	mov.u32 %i, %ctaid.x;
	mad.wide.u32 %e, %i, 4, %x;
	{body}
	ret;
}}
"
        );
    }
    text
}

const WRITE: &str = "st.global.u32 [%e], 1;";
const READ: &str = "ld.global.u32 %v, [%e];";
const COUNT: &str = "red.relaxed.gpu.global.add.u32 [%x], 1;";
const WAIT: &str = "griddepcontrol.wait;";
const LAUNCH: &str = "griddepcontrol.launch_dependents;";

/// The messages of the problems.
fn problems(command: &str, text: &str, following: &[&str]) -> Vec<String> {
    let first = [command, "-", "--kernel", "first", "--grid", "2", "--arg", "x=u32[32]", "--format", "json"];
    let following = following.iter().flat_map(|launch| ["--then", launch]);
    let arguments: Vec<&str> = first.into_iter().chain(following).collect();
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr));
    let problems = result["problems"].as_array().expect("a list").iter();
    problems
        .map(|one| format!("{}: {}", one["code"].as_str().unwrap_or(""), one["message"].as_str().unwrap_or("")))
        .collect()
}

fn assert_race(text: &str, following: &[&str], cause: &str) {
    for command in ["run", "check"] {
        let found = problems(command, text, following);
        let [message] = &found[..] else { panic!("{command}: {found:?}\n{text}") };
        assert!(message.starts_with("data-race: ") && message.contains(cause), "{command}: {message}\n{text}");
    }
}

fn assert_right(text: &str, following: &[&str]) {
    for command in ["run", "check"] {
        assert_eq!(problems(command, text, following), Vec::<String>::new(), "{command}\n{text}");
    }
}

const SECOND: &[&str] = &["second programmatic grid 2"];

#[test]
fn accesses_before_the_wait_race_with_the_kernel_before() {
    for (first, second) in [(WRITE, READ), (READ, WRITE), (WRITE, WRITE)] {
        // Whether the first kernel lets the second one begin before or after its access, only the wait orders it.
        for first in [format!("{LAUNCH} {first}"), format!("{first} {LAUNCH}"), first.to_owned()] {
            let both = |second: &str| module(&[("first", &first), ("second", second)]);
            assert_race(&both(second), SECOND, "no `griddepcontrol.wait` between a");
            assert_race(&both(&format!("{second} {WAIT}")), SECOND, "by the earlier kernel and this");
            assert_right(&both(&format!("{WAIT} {second}")), SECOND);
            // Without the attribute, it begins when the first one has ended.
            assert_right(&both(second), &["second grid 2"]);
        }
    }
    assert_right(&module(&[("first", READ), ("second", READ)]), SECOND);
}

#[test]
fn other_words_of_a_buffer_are_not_touched() {
    let second = WRITE.replace("[%e]", "[%e+64]");
    assert_right(&module(&[("first", WRITE), ("second", &second)]), SECOND);
}

/// Who waits for a kernel that has not waited for the one before knows nothing about that one.
#[test]
fn a_kernel_that_does_not_wait_ends_the_order() {
    let third = format!("{WAIT} {READ}");
    let all = |second: &str| module(&[("first", WRITE), ("second", second), ("third", &third)]);
    let following = ["second programmatic grid 2", "third programmatic grid 2"];
    assert_race(&all(LAUNCH), &following, "a write by the kernel before the earlier one and this read");
    assert_right(&all(&format!("{WAIT} {LAUNCH}")), &following);
    assert_right(&all(LAUNCH), &["second programmatic grid 2", "third grid 2"]);
    assert_right(&all(LAUNCH), &["second grid 2", "third programmatic grid 2"]);
}

/// The third kernel may begin while the first one still runs, if the second one lets it begin before it has waited.
#[test]
fn a_kernel_that_waits_late_orders_what_is_after_the_wait() {
    let all = |second: &str, third: &str| module(&[("first", READ), ("second", second), ("third", third)]);
    let following = ["second programmatic grid 2", "third programmatic grid 2"];
    let (early, late) = (format!("{LAUNCH} {WAIT}"), format!("{WAIT} {LAUNCH}"));
    assert_race(&all(&early, WRITE), &following, "between a read by the earlier kernel and this write");
    assert_right(&all(&early, &format!("{WAIT} {WRITE}")), &following);
    assert_right(&all(&late, WRITE), &following);
    // No kernel waits for the first one, however many come after it.
    let fourth = format!("{WAIT} {WRITE}");
    let text = module(&[("first", READ), ("second", LAUNCH), ("third", WAIT), ("fourth", &fourth)]);
    let following = ["second programmatic grid 2", "third programmatic grid 2", "fourth programmatic grid 2"];
    assert_race(&text, &following, "by the kernel before the earlier one");
}

/// A CTA waits only if it reads a flag in time. That it may not is not forgotten in states that are otherwise the same.
#[test]
fn a_wait_that_may_be_left_out_is_none() {
    let second = "setp.eq.u32 %p, %i, 0; @%p st.relaxed.gpu.global.u32 [%x+120], 1; @%p ret; \
                  ld.relaxed.gpu.global.u32 %v, [%x+120]; setp.ne.u32 %p, %v, VALUE; @%p ret; griddepcontrol.wait;";
    for value in ["0", "1"] {
        let third = format!("{WAIT} {READ}");
        let second = second.replace("VALUE", value);
        let text = module(&[("first", WRITE), ("second", &second), ("third", &third)]);
        let text = text.replace(".reg .b32 %i, %v;", ".reg .pred %p;\n\t.reg .b32 %i, %v;");
        let found = problems("check", &text, &["second programmatic grid 2", "third programmatic grid 2"]);
        assert!(found.len() == 1 && found[0].contains("by the kernel before the earlier one"), "{found:?}\n{text}");
    }
}

#[test]
fn bytes_of_a_word_are_told_apart() {
    let half = |place: &str| format!("mad.wide.u32 %e, %i, 4, %x; st.global.u16 [%e{place}], 1;");
    assert_right(&module(&[("first", &half("")), ("second", &half("+2"))]), SECOND);
    assert_race(&module(&[("first", &half("")), ("second", &half(""))]), SECOND, "no `griddepcontrol.wait`");
}

/// Strong accesses do not race; which of them comes first is not explored.
#[test]
fn strong_accesses_of_kernels_that_overlap_are_undecided() {
    let text = module(&[("first", COUNT), ("second", COUNT)]);
    assert_eq!(problems("run", &text, SECOND), Vec::<String>::new());
    let first = ["check", "-", "--kernel", "first", "--grid", "2", "--arg", "x=u32[32]", "--then", SECOND[0]];
    let run = run_in(&support::root(), &first, text.as_bytes());
    assert!(run.code == 3 && run.stdout.contains("of strong accesses of kernels that overlap"), "{}", run.stdout);
    assert_right(&module(&[("first", COUNT), ("second", &format!("{WAIT} {COUNT}"))]), SECOND);
}

#[test]
fn a_launch_in_a_comment_may_be_programmatic() {
    let text = |second: &str| {
        let launches = "//! check first grid 2 x=u32[32]\n//! then second programmatic grid 2\n";
        format!("{launches}{}", module(&[("first", WRITE), ("second", second)]))
    };
    let wrong = run_in(&support::root(), &["lint", "-"], text(READ).as_bytes());
    assert!(
        wrong.stdout.contains("no `griddepcontrol.wait` between a write by the earlier kernel"),
        "{}",
        wrong.stdout
    );
    let right = run_in(&support::root(), &["lint", "-"], text(&format!("{WAIT} {READ}")).as_bytes());
    assert_eq!(right.code, 0, "{}", right.stdout);
}

/// What `check` says with an option about the second kernel's wait.
fn said(option: &str, text: &str, following: &[&str]) -> String {
    let first = ["check", "-", option, "--kernel", "first", "--grid", "2", "--arg", "x=u32[32]"];
    let following = following.iter().flat_map(|launch| ["--then", launch]);
    let arguments: Vec<&str> = first.into_iter().chain(following).collect();
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    let is_told = |line: &&str| line.contains("`griddepcontrol.wait;` is ") || line.starts_with("repair: ");
    run.stdout.lines().filter(is_told).collect::<Vec<_>>().join("\n")
}

/// The wait is proposed as late as it suffices: what does not race may overlap the earlier kernel.
#[test]
fn a_missing_wait_is_proposed_before_the_first_access_that_races() {
    let other = "ld.global.u32 %v, [%e+64];";
    for (first, second, at) in [(WRITE, READ, READ), (READ, WRITE, WRITE), (WRITE, COUNT, COUNT)] {
        let text = module(&[("first", first), ("second", &format!("{other}\n\t{second}\n\t{other}"))]);
        let found = said("--repair", &text, SECOND);
        let at = format!("`{at}`: insert `griddepcontrol.wait` before it");
        assert!(found.contains(&at) && !found.contains('\n'), "{found}\n{text}");
    }
    // Nothing but a wait of the second kernel orders the third one.
    let third = format!("{WAIT} {READ}");
    let text = module(&[("first", WRITE), ("second", LAUNCH), ("third", &third)]);
    let found = said("--repair", &text, &["second programmatic grid 2", "third programmatic grid 2"]);
    assert!(found.contains(&format!("`{LAUNCH}`: insert `griddepcontrol.wait` before it")), "{found}");
}

/// One that this launch does not show to be needed may order a kernel that is launched before or after.
#[test]
fn a_needed_wait_is_told_and_none_is_called_redundant() {
    let text = module(&[("first", WRITE), ("second", &format!("{WAIT} {READ}"))]);
    let found = said("--redundant", &text, SECOND);
    assert!(found.contains("`griddepcontrol.wait;` is needed: data-race at line"), "{found}");
    assert_eq!(said("--redundant", &text, &["second grid 2"]), "");
}
