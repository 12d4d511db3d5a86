//! Kernels that run at the same time, with `--beside`, and threads of the host among them.

use crate::{Run, run_in};
use serde_json::Value;

/// A kernel that writes data and a flag, and one that waits for it; `%SCOPE` stands for the scope of both.
const FLAG: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry produce(.param .u64 data, .param .u64 flag)
{
	.reg .b64 %data, %flag;
	ld.param.u64 %data, [data];
	ld.param.u64 %flag, [flag];
	st.global.u32 [%data], 7;
	st.release.%SCOPE.global.u32 [%flag], 1;
	ret;
}
.visible .entry consume(.param .u64 out, .param .u64 flag, .param .u64 data)
{
	.reg .pred %p;
	.reg .b32 %r;
	.reg .b64 %data, %flag, %out;
	ld.param.u64 %data, [data];
	ld.param.u64 %flag, [flag];
	ld.param.u64 %out, [out];
WAIT:
	ld.acquire.%SCOPE.global.u32 %r, [%flag];
	setp.eq.u32 %p, %r, 0;
	@%p bra WAIT;
	ld.global.u32 %r, [%data];
	st.global.u32 [%out], %r;
	ret;
}
";

fn ask(command: &str, text: &str, options: &[&str]) -> Run {
    let first = [command, "-", "--kernel", "produce", "--arg", "data=u32[1]", "--arg", "flag=u32[1]"];
    let arguments: Vec<&str> = first.into_iter().chain(options.iter().copied()).collect();
    run_in(&support::root(), &arguments, text.as_bytes())
}

fn json(text: &str, options: &[&str]) -> Value {
    let run = ask("check", text, &[options, &["--format", "json"]].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

fn of_scope(scope: &str) -> String {
    FLAG.replace("%SCOPE", scope)
}

#[test]
fn a_flag_between_two_kernels_needs_the_scope_of_the_device() {
    let options = ["--beside", "consume out=u32[1]", "--expect", "out=7"];
    for scope in ["gpu", "sys"] {
        for command in ["run", "check"] {
            let run = ask(command, &of_scope(scope), &options);
            assert_eq!(run.code, 0, "{command} {scope}: {}{}", run.stdout, run.stderr);
            assert!(run.stdout.contains("CTA 0: `produce`\nCTA 1: `consume`\n"), "{}", run.stdout);
        }
    }
    let result = json(&of_scope("cta"), &options);
    assert_eq!((&result["verdict"], &result["problems"][0]["code"]), (&"refuted".into(), &"data-race".into()));
}

#[test]
fn a_thread_of_the_host_needs_the_scope_of_the_system() {
    let options = ["--beside", "consume host out=u32[1]", "--expect", "out=7"];
    let result = json(&of_scope("sys"), &options);
    assert_eq!((&result["verdict"], &result["complete"]), (&"proved".into(), &true.into()), "{result}");
    let expected = serde_json::json!([
        { "kernel": "produce", "first": 0, "ctas": 1, "host": false },
        { "kernel": "consume", "first": 1, "ctas": 1, "host": true },
    ]);
    assert_eq!(result["kernels"], expected);
    // One of the two with the scope of the device is not enough, whichever it is.
    let one = |from: &str| of_scope("sys").replace(&format!("{from}.sys"), &format!("{from}.gpu"));
    for text in [of_scope("gpu"), one("st.release"), one("ld.acquire")] {
        let result = json(&text, &options);
        assert_eq!((&result["verdict"], &result["problems"][0]["code"]), (&"refuted".into(), &"data-race".into()));
    }
}

/// The scopes of a CTA, a cluster and a device are about threads of a device.
#[test]
fn two_threads_of_the_host_need_the_scope_of_the_system() {
    let check = |scope: &str| {
        let text = format!(
            ".version 8.6
.target sm_90
.address_size 64
.visible .entry produce(.param .u64 data, .param .u64 flag) {{ ret; }}
.visible .entry pair(.param .u64 data, .param .u64 flag)
{{
	.reg .pred %p;
	.reg .b32 %r;
	.reg .b64 %data, %flag;
	ld.param.u64 %data, [data];
	ld.param.u64 %flag, [flag];
	mov.u32 %r, %tid.x;
	setp.ne.u32 %p, %r, 0;
	@%p bra WAIT;
	st.global.u32 [%data], 7;
	st.release.{scope}.global.u32 [%flag], 1;
	ret;
WAIT:
	ld.acquire.{scope}.global.u32 %r, [%flag];
	setp.eq.u32 %p, %r, 0;
	@%p bra WAIT;
	ld.global.u32 %r, [%data];
	ret;
}}
"
        );
        json(&text, &["--beside", "pair host block 2"])["verdict"].as_str().map(str::to_owned)
    };
    for (scope, verdict) in [("cta", "refuted"), ("gpu", "refuted"), ("sys", "proved")] {
        assert_eq!(check(scope).as_deref(), Some(verdict), "{scope}");
    }
}

/// What is missing in the first problem: a race on the flag itself, whose scopes do not meet, comes after it.
fn explained(result: &Value) -> &Value {
    &result["problems"][0]["execution"]["missing"][0]
}

/// A fence of the device before a write of the scope of the CTA: what to change is the write.
#[test]
fn a_race_names_the_access_whose_scope_is_too_narrow() {
    let text = of_scope("gpu").replace("st.release.gpu", "fence.acq_rel.gpu;\n	st.relaxed.cta");
    let result = json(&text, &["--beside", "consume out=u32[1]"]);
    let missing = explained(&result);
    assert_eq!(missing["reason"], "release-scope", "{result}");
    let run = ask("check", &text, &["--beside", "consume out=u32[1]"]);
    assert!(run.stdout.contains("because the scope `.cta` of "), "{}", run.stdout);
}

#[test]
fn sequential_fences_of_a_kernel_and_the_host_need_the_scope_of_the_system() {
    let thread = |name: &str, own: &str, other: &str, fence: &str| {
        format!(
            ".visible .entry {name}(.param .u64 data, .param .u64 flag, .param .u64 out)
{{
	.reg .b32 %r;
	.reg .b64 %data, %flag, %out;
	ld.param.u64 %data, [data];
	ld.param.u64 %flag, [flag];
	ld.param.u64 %out, [out];
	st.relaxed.sys.global.u32 [{own}], 1;
	fence.sc.{fence};
	ld.relaxed.sys.global.u32 %r, [{other}];
	st.global.u32 [%out], %r;
	ret;
}}
"
        )
    };
    let head = ".version 8.6\n.target sm_90\n.address_size 64\n";
    let text = |one: &str, two: &str| {
        head.to_owned() + &thread("produce", "%data", "%flag", one) + &thread("other", "%flag", "%data", two)
    };
    let verdict = |one: &str, two: &str, beside: &str| {
        let claims = ["--arg", "out=u32[1]", "--forbid", "out[0] == 0 && seen[0] == 0"];
        let text = text(one, two).replacen(".param .u64 out)\n{\n	.reg .b32 %r;\n	.reg .b64 %data, %flag, %out;\n	ld.param.u64 %data, [data];\n	ld.param.u64 %flag, [flag];\n	ld.param.u64 %out, [out];\n	st.relaxed.sys.global.u32 [%flag]", ".param .u64 seen)\n{\n	.reg .b32 %r;\n	.reg .b64 %data, %flag, %out;\n	ld.param.u64 %data, [data];\n	ld.param.u64 %flag, [flag];\n	ld.param.u64 %out, [seen];\n	st.relaxed.sys.global.u32 [%flag]", 1);
        json(&text, &[&["--beside", beside], &claims[..]].concat())["verdict"].as_str().map(str::to_owned)
    };
    assert_eq!(verdict("gpu", "gpu", "other seen=u32[1]").as_deref(), Some("proved"));
    assert_eq!(verdict("sys", "sys", "other host seen=u32[1]").as_deref(), Some("proved"));
    assert_eq!(verdict("gpu", "sys", "other host seen=u32[1]").as_deref(), Some("refuted"));
    assert_eq!(verdict("cta", "gpu", "other seen=u32[1]").as_deref(), Some("refuted"));
}

/// Each kernel has sizes, indices, parameters and shared memory of its own.
#[test]
fn kernels_have_their_own_sizes_and_parameters() {
    let kernel = |name: &str| {
        format!(
            ".visible .entry {name}(.param .u64 {name}_out, .param .u32 value)
{{
	.reg .b32 %t, %n, %c, %v, %a;
	.reg .b64 %out;
	.shared .b32 {name}_sum;
	ld.param.u64 %out, [{name}_out];
	ld.param.u32 %v, [value];
	mov.u32 %t, %tid.x;
	mov.u32 %n, %ntid.x;
	mov.u32 %c, %ctaid.x;
	mad.lo.u32 %a, %c, %n, %t;
	mad.wide.u32 %out, %a, 4, %out;
	mov.u32 %n, %nctaid.x;
	bar.sync 0;
	mad.lo.u32 %v, %n, 100, %v;
	st.global.u32 [%out], %v;
	ret;
}}
"
        )
    };
    let text = ".version 8.6\n.target sm_90\n.address_size 64\n".to_owned() + &kernel("one") + &kernel("two");
    let options = ["--kernel", "one", "--grid", "2", "--block", "3", "--arg", "one_out=u32[6]", "--arg", "value=u32=1"];
    let beside = [
        "--beside",
        "two grid 3 block 33 two_out=u32[99] value=u32=2",
        "--beside",
        "two block 2 two_out=last last=u32[2]",
    ];
    let claims = ["--require", "one_out[0] == 201 && one_out[5] == 201 && two_out[0] == 302 && two_out[98] == 302"];
    for command in ["run", "check"] {
        let arguments = [&[command, "-"], &options[..], &beside[..2], &claims].concat();
        let run = run_in(&support::root(), &arguments, text.as_bytes());
        assert_eq!(run.code, 0, "{command}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.ends_with("CTAs 0 to 1: `one`\nCTAs 2 to 4: `two`\n"), "{}", run.stdout);
    }
}

/// The read of the flag observes the write, and yet orders nothing.
#[test]
fn a_race_names_the_order_that_is_missing() {
    let reason = |from: &str, to: &str, beside: &str| {
        let text = of_scope("gpu").replacen(from, to, 1);
        let result = json(&text, &["--beside", beside]);
        let missing = explained(&result);
        (missing["from"].clone(), missing["to"].clone(), missing["reason"].as_str().unwrap_or_default().to_owned())
    };
    for (from, to, beside, expected) in [
        ("st.release", "st.relaxed", "consume out=u32[1]", "no-release"),
        ("ld.acquire", "ld.relaxed", "consume out=u32[1]", "no-acquire"),
        ("ld.acquire.gpu", "ld.acquire.cta", "consume out=u32[1]", "acquire-scope"),
        ("", "", "consume host out=u32[1]", "release-scope"),
    ] {
        assert_eq!(reason(from, to, beside), (1.into(), 2.into(), expected.to_owned()), "{from} {to}");
    }
}

#[test]
fn changes_of_orders_are_tried_in_all_kernels() {
    let beside = ["--beside", "consume out=u32[1]", "--expect", "out=7"];
    let result = json(&of_scope("cta"), &[&beside[..], &["--repair"]].concat());
    let titles: Vec<&str> =
        result["repair"].as_array().expect("a repair").iter().filter_map(|one| one["change"].as_str()).collect();
    assert!(titles.len() == 2 && titles.iter().all(|title| title.contains(".gpu")), "{result}");
    let result = json(&of_scope("sys"), &[&beside[..], &["--redundant"]].concat());
    assert_eq!(result["orders"].as_array().map(Vec::len), Some(2), "{result}");
}

#[test]
fn a_comment_may_have_kernels_beside_each_other() {
    let check = |scope: &str, beside: &str| {
        let launch = format!(
            "//! check produce data=u32[1] flag=u32[1]\n//! beside consume {beside}out=u32[1]\n//! expect out == 7\n"
        );
        let text = format!("{launch}{}", of_scope(scope));
        run_in(&support::root(), &["lint", "-", "--format", "jsonl"], text.as_bytes()).stdout
    };
    assert!(!check("gpu", "").contains("check-"), "{}", check("gpu", ""));
    assert!(check("cta", "").contains("check-refuted"), "{}", check("cta", ""));
    assert!(!check("sys", "host ").contains("check-refuted"), "{}", check("sys", "host "));
    assert!(check("gpu", "host ").contains("check-refuted"), "{}", check("gpu", "host "));
}

#[test]
fn mistakes_name_the_kernel_and_what_to_write() {
    let text = of_scope("gpu");
    for (options, message) in [
        (&["--beside", "consume"][..], "no argument for the parameter `out` (8 bytes)"),
        (&["--beside", "consumed out=u32[1]"], "no kernel `consumed`: did you mean `consume`?"),
        (
            &["--beside", "consume cluster 2 grid 2 out=u32[1]"],
            "kernels that run at the same time cannot have clusters",
        ),
        (&["--beside", "consume grid 0 out=u32[1]"], "a size of the grid, the block or the cluster is 0"),
        (&["--beside", "consume earlier flag=reads out=u32[1]"], "`earlier` is about the first kernel"),
        (
            &["--beside", "consume out=u32[1]", "--grid", "2", "--cluster", "2"],
            "kernels that run at the same time cannot have clusters",
        ),
        (&["--beside", "consume seed 3 out=u32[1]"], "`seed` is about the first kernel"),
        (&["--then", "consume host out=u32[1]"], "unknown option `host` of a launch"),
    ] {
        let run = ask("check", &text, options);
        assert_eq!(run.code, 2, "{options:?}: {}", run.stdout);
        assert!(run.stderr.contains(message), "{options:?}: {}", run.stderr);
    }
}

/// Kernels with 160 KiB of static shared memory each, and a function that both call, whose variable has another address in each.
const OWN_SHARED: &str = "\
.version 8.6
.target sm_90a
.address_size 64
.shared .u32 common;
.shared .align 4 .b8 first[163840];
.shared .align 4 .b8 second[163840];
.extern .shared .align 16 .b8 dynamic[];
.func (.reg .u32 sum) add(.reg .u32 value)
{
	st.shared.u32 [common], value;
	ld.shared.u32 sum, [common];
	add.u32 sum, sum, 1;
	ret;
}
.visible .entry one(.param .u64 out)
{
	.reg .b32 %r;
	.reg .b64 %out;
	ld.param.u64 %out, [out];
	mov.u32 %r, 40;
	st.shared.u32 [first+163836], %r;
	call (%r), add, (%r);
	st.global.u32 [%out], %r;
	ret;
}
.visible .entry two(.param .u64 out)
{
	.reg .b32 %r, %s;
	.reg .b64 %out;
	ld.param.u64 %out, [out];
	mov.u32 %r, 70;
	st.shared.u32 [dynamic], %r;
	st.shared.u32 [second+163836], 5;
	call (%r), add, (%r);
	ld.shared.u32 %s, [dynamic];
	add.u32 %r, %r, %s;
	st.global.u32 [%out+4], %r;
	ret;
}
";

#[test]
fn kernels_at_the_same_time_have_their_own_shared_memory() {
    let options =
        ["-", "--kernel", "one", "--arg", "out=u32[2]", "--beside", "two shared 16", "--expect", "out=41,141"];
    for command in ["run", "check"] {
        let run = run_in(&support::root(), &[&[command][..], &options].concat(), OWN_SHARED.as_bytes());
        assert_eq!(run.code, 0, "{command}: {}{}", run.stdout, run.stderr);
    }
    let table =
        ".func (.reg .u32 sum) add(.reg .u32 value);\n.global .u64 table[1] = {add};\n.func (.reg .u32 sum) add";
    let together = OWN_SHARED.replacen(".func (.reg .u32 sum) add", table, 1);
    let run = run_in(&support::root(), &[&["run"][..], &options].concat(), together.as_bytes());
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("shared memory"), "{}", run.stderr);
}

/// Two kernels, of which one takes the address of a function with a variable in shared memory, and the other one calls it.
const HANDED_OVER: &str = "\
.version 8.0
.target sm_90
.address_size 64
.func put(.reg .b32 %v, .reg .b64 %o)
{
	.reg .b32 %r;
	.shared .b32 held[2];
	st.shared.u32 [held], %v;
	ld.shared.u32 %r, [held];
	st.global.u32 [%o], %r;
	ret;
}
.visible .entry names(.param .u64 out)
{
	.reg .b64 %out, %put;
	.shared .b32 own[8];
	ld.param.u64 %out, [out];
	st.shared.u32 [own], 1;
	mov.u64 %put, put;
	st.release.gpu.global.u64 [%out+8], %put;
	ret;
}
.visible .entry calls(.param .u64 out)
{
	.reg .b64 %out, %put;
	.reg .pred %p;
	ld.param.u64 %out, [out];
AGAIN:	ld.acquire.gpu.global.u64 %put, [%out+8];
	setp.eq.u64 %p, %put, 0;
	@%p bra AGAIN;
shape:	.callprototype _ (.reg .b32 _, .reg .b64 _);
	call %put, (7, %out), shape;
	ret;
}
";

#[test]
fn a_kernel_calls_a_function_whose_address_another_kernel_takes() {
    for (command, kernel, beside) in [
        ("run", "names", "calls out=out"),
        ("check", "names", "calls out=out"),
        ("run", "calls", "names out=out"),
        ("check", "calls", "names out=out"),
    ] {
        let options =
            [command, "-", "--kernel", kernel, "--arg", "out=u64[2]", "--beside", beside, "--require", "out[0] == 7"];
        let run = run_in(&support::root(), &options, HANDED_OVER.as_bytes());
        assert_eq!(run.code, 0, "{command} {kernel}: {}{}", run.stdout, run.stderr);
    }
}
