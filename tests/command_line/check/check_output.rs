//! What `check` says beside its verdict: ways to a problem, pictures, notes, and what scripts rely on.

use crate::check::small_launches::{CTAS, THREADS, assert_proved, check, module, spin, verdict};
use crate::{run_in, scratch};
use serde_json::Value;

#[test]
fn the_text_shows_the_way_to_a_problem() {
    let text = module(
        "st.release.gpu.global.u32 [%y], 1; st.global.u32 [%x], 5;",
        &format!("{} ld.global.u32 %b, [%x];", spin("L", "ld.acquire.gpu.global.u32")),
    );
    let arguments = ["check", "-", "--arg", "x=u32[4]", "--arg", "y=u32[4]", "--grid", "2"];
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("error[data-race]: data race at"), "{}", run.stdout);
    assert!(run.stdout.contains("  CTA 0 thread 0: line 17: st.release.gpu.global.u32 [%y], 1;"), "{}", run.stdout);
    assert!(run.stdout.contains("refuted: "), "{}", run.stdout);
}

#[test]
fn an_execution_is_shown_with_its_relations() {
    let write = "st.global.u32 [%x], 5; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%y], 1;";
    let read = |fence: &str| format!("{} {fence} ld.global.u32 %b, [%x];", spin("L", "ld.relaxed.gpu.global.u32"));
    let arguments = ["check", "-", "--arg", "x=u32[4]", "--arg", "y=u32[4]", "--grid", "2"];
    let lines = |fence: &str| {
        let run = run_in(&support::root(), &arguments, module(write, &read(fence)).as_bytes());
        assert_eq!(run.code, 1, "{}", run.stderr);
        run.stdout
    };
    // The fence of the CTA is not wide enough.
    let text = lines("fence.acq_rel.cta;");
    for line in [
        "  1 ●│  CTA 0 thread 0: line 17: st.global.u32 [%x], 5;  → writes 5 to `x[0]`\n",
        "  2 ●│  CTA 0 thread 0: line 17: fence.acq_rel.gpu;\n",
        "  3 ●│  CTA 0 thread 0: line 17: st.relaxed.gpu.global.u32 [%y], 1;  → writes 1 to `y[0]`\n",
        "  4 │●  CTA 1 thread 0: line 20: ld.relaxed.gpu.global.u32 %a, [%y];  → reads 1 from `y[0]`\n",
        "  6 │●  CTA 1 thread 0: line 20: ld.global.u32 %b, [%x];  → reads `x[0]`\n",
        "  rf (reads from): 3 → 4\n",
        "  race (not ordered): 1 → 6\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    // With a fence of the device the two fences synchronize, and what is wrong is the value.
    let wide = format!("{} trap;", read("fence.acq_rel.gpu;"));
    let run = run_in(&support::root(), &arguments, module(write, &wide).as_bytes());
    assert!(run.stdout.contains("  sync (synchronizes with): 2 → 5\n"), "{}", run.stdout);
    assert!(run.stdout.contains("line 20: trap;  ← trap\n"), "{}", run.stdout);
}

#[test]
fn barriers_are_shown_once_for_each_thread() {
    let text =
        module("st.global.u32 [%x], 5; barrier.cta.sync 0; trap;", "barrier.cta.sync 0; ld.global.u32 %b, [%x];");
    let arguments = ["check", "-", "--arg", "x=u32[4]", "--arg", "y=u32[4]", "--block", "2"];
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    assert_eq!(run.stdout.matches("barrier.cta.sync 0;").count(), 2, "{}", run.stdout);
    assert!(run.stdout.contains("  sync (synchronizes with): 2 → 3\n"), "{}", run.stdout);
}

#[test]
fn the_result_says_how_far_the_search_went() {
    let spin = spin("L", "ld.acquire.gpu.global.u32");
    let counts =
        "mov.u32 %b, 0; K: add.u32 %b, %b, 1; setp.lt.u32 %p, %b, 4; @%p bra K; st.release.gpu.global.u32 [%y], 1;";
    let run = check(&module(counts, &spin), &CTAS);
    let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(result["loops"], serde_json::json!([{ "line": 17, "rounds": 3 }, { "line": 20, "rounds": 1 }]));
    assert!(result["executions"].as_u64().is_some_and(|executions| executions > 0), "{result}");
    let problem = check(&module("trap;", ""), &CTAS);
    let problem: Value = serde_json::from_str(&problem.stdout).expect("JSON");
    assert_eq!(problem["problems"][0]["execution"]["events"][0]["instruction"], "trap;");
}

#[test]
fn a_picture_is_drawn() {
    let folder = scratch("check-picture");
    let text = module("st.global.u32 [%x], 5;", "ld.global.u32 %b, [%x];");
    let draw = |name: &str| {
        let arguments = ["check", "-", "--arg", "x=u32[4]", "--arg", "y=u32[4]", "--grid", "2", "--picture", name];
        let run = run_in(&folder, &arguments, text.as_bytes());
        (run.code, std::fs::read_to_string(folder.join(name)).unwrap_or(run.stderr))
    };
    let (code, svg) = draw("race.svg");
    assert!(code == 1 && svg.starts_with("<svg ") && svg.contains(">race</text>"), "{svg}");
    let (_, dot) = draw("race.dot");
    assert!(dot.starts_with("digraph ") && dot.contains("e0 -> e1 [label=race"), "{dot}");
    let (code, error) = draw("race.png");
    assert_eq!(
        (code, &*error),
        (2, "ptx-atomics: cannot write race.png: expected a name that ends in .svg, .dot or .gv\n")
    );
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn orders_that_are_not_needed_are_named() {
    let write = "st.global.u32 [%x], 5; st.release.sys.global.u32 [%y], 1;";
    let read = format!("{} fence.sc.gpu; ld.global.u32 %b, [%x];", spin("L", "ld.acquire.gpu.global.u32"));
    let options: Vec<&str> = CTAS.into_iter().chain(["--redundant"]).collect();
    let result: Value = serde_json::from_str(&check(&module(write, &read), &options).stdout).expect("JSON");
    let orders = result["orders"].as_array().expect("a list").iter();
    let orders: Vec<(&str, Option<&str>, Option<&str>)> = orders
        .map(|one| {
            let breaking = one["breaking"]["code"].as_str();
            (one["instruction"].as_str().expect("text"), one["enough"].as_str(), breaking)
        })
        .collect();
    let wide = "use `st.release.gpu.global.u32` instead of `st.release.sys.global.u32`";
    // The load and the fence are each enough without the other one.
    let relaxed = "use `ld.relaxed.gpu.global.u32` instead of `ld.acquire.gpu.global.u32`";
    let expected = [
        ("st.release.sys.global.u32 [%y], 1;", Some(wide), Some("data-race")),
        ("ld.acquire.gpu.global.u32 %a, [%y];", Some(relaxed), Some("data-race")),
        ("fence.sc.gpu;", Some("remove it"), None),
    ];
    assert_eq!(orders, expected);
}

#[test]
fn repairs_are_the_weakest_changes() {
    let repair = |first: &str, others: &str, launch: [&str; 4]| {
        let options: Vec<&str> = launch.into_iter().chain(["--repair"]).collect();
        let result: Value = serde_json::from_str(&check(&module(first, others), &options).stdout).expect("JSON");
        let changes = result["repair"].as_array().map(|changes| {
            changes.iter().map(|one| one["change"].as_str().expect("text").split('`').nth(1).expect("code").to_owned())
        });
        changes.map(Iterator::collect::<Vec<String>>)
    };
    let read = |load: &str| format!("{} ld.global.u32 %b, [%x];", spin("L", load));
    let release = "st.global.u32 [%x], 5; st.release.gpu.global.u32 [%y], 1;";
    let relaxed = read("ld.relaxed.gpu.global.u32");
    assert_eq!(repair(release, &relaxed, CTAS), Some(vec!["ld.acquire.gpu.global.u32".to_owned()]));
    let weak = "st.global.u32 [%x], 5; st.global.u32 [%y], 1;";
    let pair = |store: &str, load: &str| Some(vec![store.to_owned(), load.to_owned()]);
    let expected = pair("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32");
    assert_eq!(repair(weak, &read("ld.global.u32"), CTAS), expected);
    let expected = pair("st.release.cta.global.u32", "ld.acquire.cta.global.u32");
    assert_eq!(repair(weak, &read("ld.global.u32"), THREADS), expected);
    // No order of one or two instructions prevents that a value is overwritten.
    let claim = "st.relaxed.gpu.global.u32 [%x], 1;";
    let lost: Vec<&str> = CTAS.into_iter().chain(["--repair", "--expect", "x=7"]).collect();
    let result: Value = serde_json::from_str(&check(&module(claim, ""), &lost).stdout).expect("JSON");
    assert_eq!((&result["verdict"], &result["repair"]), (&Value::from("refuted"), &Value::Null));
}

#[test]
fn all_claims_that_fail_together_are_named() {
    let text = module("st.global.u32 [%x], 5;", "");
    let wrong = ["--grid", "1", "--require", "x[0] == 6", "--require", "x[0] == 5", "--forbid", "x[0] > 4"];
    let (exit, _, _, codes) = verdict(&text, &wrong);
    assert_eq!((exit, codes), (1, vec!["claim".to_owned(); 2]));
}

#[test]
fn deadlocks_say_who_waits_for_what() {
    let message = |first: &str, others: &str, launch: [&str; 4]| {
        let result: Value = serde_json::from_str(&check(&module(first, others), &launch).stdout).expect("JSON");
        result["problems"][0]["message"].as_str().expect("a message").to_owned()
    };
    let barrier = message("barrier.cta.sync 1, 64;", "barrier.cta.sync 1, 64;", ["--grid", "1", "--block", "32"]);
    let waits = "32 more of 64 threads have to arrive";
    assert!(barrier.contains("31 threads from thread 1 of CTA 0 on wait for barrier 1"), "{barrier}");
    assert!(barrier.contains(waits), "{barrier}");
    // A barrier for three threads.
    let wait = "red.global.add.u32 [%y], 1; L: ld.acquire.gpu.global.u32 %a, [%y]; setp.ne.u32 %p, %a, 3; @%p bra L;";
    let flag = message(wait, &wait.replace('L', "M"), CTAS);
    assert!(flag.contains("thread 0 of CTA 1 waits for a change of memory at"), "{flag}");
    assert!(flag.contains("byte 0 of `y`"), "{flag}");
}

#[test]
fn an_execution_of_many_threads_or_events_is_shown_by_its_end() {
    // Each of 1,024 threads gets to know all others.
    let met = "st.global.u32 [%x], 5; barrier.sync 0; barrier.sync 0;";
    assert_proved(&module(met, "barrier.sync 0; ld.global.u32 %a, [%x]; barrier.sync 0;"), &["--block", "1024"]);
    // More events than are kept.
    let count = |own: usize| {
        format!(
            "mov.u32 %b, 0; L{own}: st.global.u32 [%y+{own}], %b; add.u32 %b, %b, 1; setp.lt.u32 %p, %b, 2500; \
             @%p bra L{own}; st.global.u32 [%x], %b;"
        )
    };
    let run = check(&module(&count(0), &count(4)), &["--block", "2"]);
    let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let execution = &result["problems"][0]["execution"];
    assert_eq!(execution["relations"], serde_json::json!([{ "relation": "race", "from": 0, "to": 1 }]));
    let lines: Vec<_> = (0..2).map(|at| &execution["events"][at]["instruction"]).collect();
    assert_eq!(lines, ["st.global.u32 [%x], %b;"; 2], "{execution}");
    assert!(execution["leftOut"].as_u64().is_some_and(|left_out| left_out > 1_000), "{execution}");
}

/// Two locks that are tried in opposite orders and given back: in turn, both take the first one and find the other one taken. One that keeps its
/// first lock while it waits is a deadlock, and a lock that is waited for no cycle.
#[test]
fn threads_that_give_way_to_each_other_forever_are_mentioned() {
    let kernel = |release: &str, other: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 lock)\n{{\n\
             .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p;\n\
             ld.param.u64 %rd1, [lock]; mov.u32 %r1, %ctaid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;\n\
             xor.b32 %r2, %r1, {other}; mad.wide.u32 %rd3, %r2, 4, %rd1;\n\
             TRY: atom.acquire.gpu.global.cas.b32 %r3, [%rd2], 0, 1; setp.ne.u32 %p, %r3, 0; @%p bra TRY;\n\
             SECOND: atom.acquire.gpu.global.cas.b32 %r3, [%rd3+8], 0, 1; setp.eq.u32 %p, %r3, 0; @%p bra IN;\n\
             {release}\n\
             IN: atom.release.gpu.global.exch.b32 %r4, [%rd3+8], 0; atom.release.gpu.global.exch.b32 %r4, [%rd2], 0;\nret;\n}}\n"
        )
        .replace("+8", if other == "1" { "" } else { "+8" })
    };
    let back = "atom.release.gpu.global.exch.b32 %r4, [%rd2], 0; bra TRY;";
    let result = |text: &str| -> Value {
        let options = ["check", "-", "--grid", "2", "--arg", "lock=u32[4]", "--format", "json"];
        serde_json::from_str(&run_in(&support::root(), &options, text.as_bytes()).stdout).expect("JSON")
    };
    let gives_way = |result: &Value| result["gives_way"].as_array().expect("lines").len();
    let polite = result(&kernel(back, "1"));
    assert!(polite["problems"] == serde_json::json!([]) && gives_way(&polite) > 1, "{polite}");
    let stubborn = result(&kernel("bra SECOND;", "1"));
    assert_eq!((&stubborn["verdict"], gives_way(&stubborn)), (&Value::from("refuted"), 0), "{stubborn}");
    let apart = result(&kernel(back, "0"));
    assert_eq!(gives_way(&apart), 0, "{apart}");
}

#[test]
fn volatile_accesses_that_nothing_orders_are_a_note() {
    let notes = |first: &str, others: &str| {
        let run = check(&module(first, others), &CTAS);
        let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let notes = result["notes"].as_array().expect("a list").iter();
        let notes: Vec<String> = notes.map(|note| note["code"].as_str().expect("a code").to_owned()).collect();
        assert_eq!((run.code, &result["verdict"]), (0, &Value::from("proved")), "{first}\n{others}");
        notes
    };
    let one = vec!["unordered-access".to_owned()];
    let write = "st.volatile.global.u32 [%x], 5;";
    assert_eq!(notes(write, "ld.volatile.global.u32 %a, [%x];"), one);
    assert_eq!(notes(write, write), one);
    assert_eq!(notes(write, "red.relaxed.gpu.global.add.u32 [%x], 1;"), one);
    // These say that they have no order.
    assert!(notes(write, "ld.relaxed.sys.global.u32 %a, [%x];").is_empty());
    assert!(notes("st.relaxed.sys.global.u32 [%x], 5;", "red.relaxed.gpu.global.add.u32 [%x], 1;").is_empty());
    // The flag is what the loop waits for; the data are ordered, unless a fence is missing.
    let signal = "st.volatile.global.u32 [%x], 5; fence.acq_rel.gpu; st.volatile.global.u32 [%y], 1;";
    let wait =
        |fence: &str| format!("{} {fence} ld.volatile.global.u32 %b, [%x];", spin("L", "ld.volatile.global.u32"));
    assert!(notes(signal, &wait("fence.acq_rel.gpu;")).is_empty());
    assert_eq!(notes(signal, &wait("")), one);
}
