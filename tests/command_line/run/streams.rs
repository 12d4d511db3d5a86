//! Kernels that run one after another, with `--then`.

use crate::{Run, run_in};
use serde_json::Value;

/// A kernel that counts elements in bins and leaves the old count in each element, and one that adds up bins.
const MODULE: &str = "\
.version 8.5
.target sm_90
.address_size 64
.global .u32 runs;
.visible .entry count(.param .u64 bins, .param .u64 data)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [bins];
	ld.param.u64 %rd2, [data];
	mov.u32 %r1, %ctaid.x;
	mad.wide.u32 %rd3, %r1, 4, %rd2;
	ld.global.u32 %r2, [%rd3];
	mad.wide.u32 %rd4, %r2, 4, %rd1;
	atom.relaxed.gpu.global.add.u32 %r3, [%rd4], 1;
	st.global.u32 [%rd3], %r3;
	red.relaxed.gpu.global.add.u32 [runs], 1;
	ret;
}
.visible .entry total(.param .u64 bins, .param .u64 sum)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [bins];
	ld.param.u64 %rd2, [sum];
	ld.global.v2.u32 {%r1, %r2}, [%rd1];
	add.u32 %r1, %r1, %r2;
	st.global.u32 [%rd2], %r1;
	red.relaxed.gpu.global.add.u32 [runs], 1;
	ret;
}
.visible .entry sized(.param .u32 bins)
{
	.reg .b32 %r<2>;
	ld.param.u32 %r1, [bins];
	ret;
}
";

fn ask(command: &str, options: &[&str]) -> Run {
    let first = [command, "-", "--kernel", "count", "--grid", "2", "--arg", "bins=u32[2]", "--arg", "data=u32[2]=1,1"];
    let arguments: Vec<&str> = first.into_iter().chain(options.iter().copied()).collect();
    run_in(&support::root(), &arguments, MODULE.as_bytes())
}

#[test]
fn memory_carries_over_and_the_boundary_orders_everything() {
    for command in ["run", "check"] {
        // `bins` is passed by its name; variables of the module stay.
        let expected = ["--expect", "sum=2", "--expect", "runs=3"];
        let options: Vec<&str> = ["--then", "total sum=u32[1]"].into_iter().chain(expected).collect();
        let run = ask(command, &options);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        let twice = ["--then", "total sum=u32[1]", "--then", "total bins=sum sum=more", "--then", "count data=bins"];
        let run = ask(command, &twice);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "`more` is no buffer: {}", run.stderr);
        let wrong = ask(command, &["--then", "total sum=u32[1]", "--expect", "sum=3"]);
        assert_eq!(wrong.code, 1, "{}", wrong.stdout);
        assert!(wrong.stdout.contains("`sum[0]` is 2, expected 3"), "{}", wrong.stdout);
    }
}

#[test]
fn a_kernel_is_checked_from_every_memory_that_the_one_before_can_leave() {
    // Each of the elements of `data` is 0 or 1, whichever CTA was first; the second kernel counts them.
    let run = ask("check", &["--then", "count grid 1 bins=data data=bins", "--format", "json"]);
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr));
    assert_eq!((&result["verdict"], &result["final_states"]), (&"proved".into(), &2.into()), "{result}");
    // A data race of the second kernel is one of its own accesses.
    let race = ask("check", &["--then", "total grid 2 sum=u32[1]", "--format", "json"]);
    let result: Value = serde_json::from_str(&race.stdout).expect("JSON");
    assert_eq!(
        (race.code, &result["problems"][0]["code"], &result["problems"][0]["lines"][0]),
        (1, &"data-race".into(), &28.into())
    );
}

#[test]
fn all_kernels_are_traced() {
    let run =
        ask("run", &["--then", "total sum=u32[1]", "--trace", "runs", "--trace", "thread=1:0", "--format", "json"]);
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr));
    let events = result["trace"].as_array().expect("a list");
    let updates: Vec<&Value> =
        events.iter().filter(|event| event["memory"] == "runs").map(|event| &event["line"]).collect();
    assert_eq!(updates, [17, 17, 29], "{events:?}");
    // The second kernel has no such thread.
    let executed = |line: u64| events.iter().any(|event| event["line"] == line && event["instruction"].is_string());
    assert!(executed(17) && !executed(29), "{events:?}");
}

#[test]
fn what_cannot_follow_is_explained() {
    let error = |options: &[&str]| {
        let run = ask("check", options);
        assert_eq!(run.code, 2, "{}", run.stdout);
        run.stderr
    };
    for (options, message) in [
        (&["--then", "total"][..], "--then \"total\": no argument for the parameter `sum` (8 bytes): add sum=u32["),
        (&["--then", "sized"], "no argument for the parameter `bins` (4 bytes)"),
        (&["--then", "total sum=u32[1] bins=tensor(u32[4],box=4)"], "write `of=bins` to use it"),
        (&["--then", "none"], "--then \"none\": "),
        (&["--then", "total sum=u32[1]", "--then", "total sum=u32[1]"], "write sum=sum to pass it"),
        (&["--then", ""], "expected the name of a kernel"),
    ] {
        let found = error(options);
        assert!(found.contains(message), "{message}: {found}");
    }
}

/// What an earlier kernel does is over when the first one has waited and ended.
#[test]
fn the_earlier_kernel_has_ended_before_the_second_one() {
    let text = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry first(.param .u64 o)
{
	.reg .b64 %rd<2>;
	griddepcontrol.wait;
	ld.param.u64 %rd1, [o];
	st.global.u32 [%rd1], 1;
	ret;
}
.visible .entry second(.param .u64 o)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [o];
	ld.global.u32 %r1, [%rd1];
	st.global.u32 [%rd1+4], %r1;
	ret;
}
";
    for command in ["run", "check"] {
        let options = ["--arg", "o=u32[2]", "--earlier", "o=writes", "--then", "second", "--expect", "o=1,1"];
        let arguments: Vec<&str> = [command, "-", "--kernel", "first"].into_iter().chain(options).collect();
        let run = run_in(&support::root(), &arguments, text.as_bytes());
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        // The first one does not wait.
        let run = run_in(&support::root(), &arguments, text.replace("griddepcontrol.wait;", "").as_bytes());
        assert!(run.code == 1 && run.stdout.contains("error[data-race]"), "{}{}", run.stdout, run.stderr);
    }
}

/// A parameter with the name of a tensor map in memory gets that map, as an earlier kernel has left it.
#[test]
fn a_tensor_map_is_passed_to_the_next_kernel() {
    let text = ".version 8.6\n.target sm_90a\n.address_size 64\n\
        .visible .entry change(.param .u64 map, .param .u64 other)\n{\n.reg .b64 %rd<3>;\n\
        ld.param.u64 %rd1, [other]; ld.param.u64 %rd2, [map];\n\
        tensormap.replace.tile.global_address.global.b1024.b64 [%rd2], %rd1;\n\
        fence.proxy.tensormap::generic.release.gpu;\nret;\n}\n\
        .visible .entry copy(.param .u64 map, .param .u64 out)\n{\n.reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<4>;\n\
        .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 full;\n\
        ld.param.u64 %rd2, [map]; ld.param.u64 %rd3, [out];\nmbarrier.init.shared::cta.b64 [full], 1;\n\
        fence.mbarrier_init.release.cluster; fence.proxy.async; fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;\n\
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16;\n\
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd2, {0, 0}], [full];\n\
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0; @!%p bra WAIT;\n\
        ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [tile]; st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r4};\nret;\n}\n";
    for then in ["copy map=map out=u32[4]", "copy out=u32[4]"] {
        let options = [
            ["--kernel", "change", "--arg", "map=tensor(u32[4x4],box=4x1)"],
            ["--arg", "other=u32[16]=iota", "--then", then],
        ];
        let options = [&["check", "-"], &options.concat()[..], &["--expect", "out=0,1,2,3"]].concat();
        let run = run_in(&support::root(), &options, text.as_bytes());
        assert!(run.stdout.starts_with("proved"), "{then}: {}{}", run.stdout, run.stderr);
        // That a kernel begins acquires no tensor map.
        let wrong = text.replace("fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;", "");
        let run = run_in(&support::root(), &[&options[..], &["--repair"]].concat(), wrong.as_bytes());
        let found = "no `fence.proxy.tensormap::generic.acquire` in this kernel between a write by the kernel before";
        let repair = "insert `fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128` before it";
        assert!(run.stdout.contains(found) && run.stdout.contains(repair), "{}{}", run.stdout, run.stderr);
        // One that is as the host has made it needs none.
        let unchanged = wrong.replace("tensormap.replace.tile.global_address.global.b1024.b64 [%rd2], %rd1;", "");
        let options: Vec<&str> =
            options.iter().filter(|one| !["--expect", "out=0,1,2,3"].contains(one)).copied().collect();
        let run = run_in(&support::root(), &options, unchanged.as_bytes());
        assert!(run.stdout.starts_with("proved"), "{then}: {}{}", run.stdout, run.stderr);
    }
    // Parameters as nvcc names them: by number, and by the name of the kernel before.
    let named = text.replace("map]", "change_param_0]").replace("u64 map", "u64 change_param_0");
    let (change, copy) = named.split_at(named.find(".visible .entry copy").expect("a kernel"));
    let named = change.to_owned() + &copy.replace("change_param_0", "copy_param_0");
    for (map, then) in [("0", "copy 0=0 out=u32[4]"), ("change_param_0", "copy copy_param_0=change_param_0 out=u32[4]")]
    {
        let map = format!("{map}=tensor(u32[4x4],box=4x1)");
        let options = ["check", "-", "--kernel", "change", "--arg", &map, "--arg", "other=u32[16]=iota"];
        let options = [&options[..], &["--then", then, "--expect", "out=0,1,2,3"]].concat();
        let run = run_in(&support::root(), &options, named.as_bytes());
        assert!(run.stdout.starts_with("proved"), "{then}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn a_comment_may_have_kernels_after_each_other() {
    let kernels = "\
.version 8.0
.target sm_90
.address_size 64
%LAUNCH
.visible .entry count(.param .u64 hist)
{
	.reg .u64 %hist;
	ld.param.u64 %hist, [hist];
	red.global.add.u32 [%hist], 1;
	ret;
}
.visible .entry double(.param .u64 in, .param .u64 out)
{
	.reg .u64 %in, %out;
	.reg .u32 %r;
	ld.param.u64 %in, [in];
	ld.param.u64 %out, [out];
	ld.global.u32 %r, [%in];
	add.u32 %r, %r, %r;
	st.global.u32 [%out], %r;
	ret;
}
";
    let lint = |launch: &str| {
        let text = kernels.replace("%LAUNCH", launch);
        run_in(&support::root(), &["lint", "-", "--format", "jsonl"], text.as_bytes()).stdout
    };
    for word in ["run", "check"] {
        let launch =
            format!("//! {word} count grid 2 block 2 hist=u32[1]\n//! then double in=hist\n//! arg out=u32[1]\n");
        let right = lint(&format!("{launch}//! expect out == 8"));
        assert!(!right.contains("\"run-") && !right.contains("\"check-"), "{right}");
        let wrong = lint(&format!("{launch}//! expect out == 4"));
        let code = if word == "run" { "run-mismatch" } else { "check-refuted" };
        assert!(wrong.contains(code), "{wrong}");
    }
    // All in one line, or in part.
    for launch in [
        "//! check count grid 2 block 2 hist=u32[1] then double in=hist out=u32[1]",
        "//! check count grid 2 block 2 hist=u32[1]\n//! then double in=hist out=u32[1] then double in=hist",
    ] {
        let right = lint(&format!("{launch}\n//! expect out == 8"));
        assert!(!right.contains("\"run-") && !right.contains("\"check-"), "{right}");
        let wrong = lint(&format!("{launch}\n//! expect out == 4"));
        assert!(wrong.contains("check-refuted"), "{wrong}");
    }
    // A race in the second kernel has its place there.
    let race = lint("//! check count hist=u32[1]\n//! then double grid 2 in=hist out=hist");
    assert!(race.contains("check-refuted") && race.contains("data race"), "{race}");
    for (following, part) in [
        ("//! then dubble in=hist", "did you mean `double`?"),
        ("//! then double in=hist", "out=u32["),
        ("//! then double in=hist out=u32[1] then dubble", "did you mean `double`?"),
        ("//! then double in=hist out=u32[1]\n//! beside count", "`beside` is about the first kernel"),
    ] {
        let found = lint(&format!("//! check count hist=u32[1]\n{following}"));
        assert!(found.contains("run-unreadable") && found.contains(part), "{part}: {found}");
    }
}

/// A kernel that stores the address of a function, and one that calls it and names another function first.
const STORED_FUNCTION: &str = "\
.version 8.0
.target sm_90
.address_size 64
.func (.reg .b32 %s) twice(.reg .b32 %v)
{
	add.u32 %s, %v, %v;
	ret;
}
.func (.reg .b32 %s) other(.reg .b32 %v)
{
	mov.u32 %s, 9;
	ret;
}
.visible .entry stores(.param .u64 table)
{
	.reg .b64 %t, %f;
	ld.param.u64 %t, [table];
	mov.u64 %f, twice;
	st.global.u64 [%t], %f;
	ret;
}
.visible .entry calls(.param .u64 table, .param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %t, %f, %o;
	ld.param.u64 %t, [table];
	ld.param.u64 %o, [out];
	ld.global.u64 %f, [%t];
	mov.u32 %r1, 1;
	call (%r2), other, (%r1);
	mov.u32 %r1, 21;
shape:	.callprototype (.reg .b32 _) _ (.reg .b32 _);
	call (%r3), %f, (%r1), shape;
	add.u32 %r3, %r3, %r2;
	st.global.u32 [%o], %r3;
	ret;
}
";

#[test]
fn a_kernel_calls_what_an_earlier_one_has_stored() {
    for command in ["run", "check"] {
        let first = [command, "-", "--kernel", "stores", "--arg", "table=u64[1]"];
        let then = ["--then", "calls out=u32[1]", "--expect", "out=51"];
        let run = run_in(&support::root(), &[&first[..], &then].concat(), STORED_FUNCTION.as_bytes());
        assert_eq!(run.code, 0, "{command}: {}{}", run.stdout, run.stderr);
    }
}
