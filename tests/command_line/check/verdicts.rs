//! `check` and `run` on the kernels of `fixtures/verdicts`, each with its right answer: they were wrong about most of them.

use crate::{run_in, scratch};
use serde_json::Value;
use std::fs;

/// The text after a word in the comments at the begin of a kernel.
fn comment<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let prefix = format!("// {word}: ");
    text.lines().take_while(|line| line.starts_with("//")).find_map(|line| line.strip_prefix(&*prefix))
}

fn result_of(command: &str, text: &str, options: &str) -> (Option<i32>, Value) {
    let options: Vec<&str> = options.split_whitespace().collect();
    let run = run_in(&support::root(), &[&[command, "-", "--format", "json"], &options[..]].concat(), text.as_bytes());
    let result = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{text}{}{}", run.stdout, run.stderr));
    (Some(run.code), result)
}

fn codes(problems: &Value) -> Vec<&str> {
    problems.as_array().into_iter().flatten().filter_map(|one| one["code"].as_str()).collect()
}

#[test]
fn each_kernel_has_its_verdict() {
    let folder = support::root().join("tests/fixtures/verdicts");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(paths.len() >= 19, "{}", paths.len());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a kernel");
        let verdict = comment(&text, "verdict").expect("a verdict");
        let (first, code) = verdict.split_once(' ').unwrap_or((verdict, ""));
        if let Some(options) = comment(&text, "check") {
            let (_, result) = result_of("check", &text, options);
            assert_eq!(result["verdict"], first, "{}: {result}", path.display());
            assert!(code.is_empty() || codes(&result["problems"]).contains(&code), "{}: {result}", path.display());
        } else {
            let options = comment(&text, "run").expect("a launch");
            let (exit, result) = result_of("run", &text, options);
            assert_eq!(exit.map(|exit| exit.to_string()).as_deref(), Some(first), "{}: {result}", path.display());
            assert_eq!(
                codes(&result["notes"]),
                if code.is_empty() { vec![] } else { vec![code] },
                "{}",
                path.display()
            );
        }
    }
}

/// `run` follows the same rules where one execution shows a race.
#[test]
fn a_run_knows_the_proxy_of_copies_and_what_a_fence_of_initializations_orders() {
    for name in ["copy_read_by_bulk_copy", "initialization_fence_of_data"] {
        let text =
            fs::read_to_string(support::root().join(format!("tests/fixtures/verdicts/{name}.ptx"))).expect("a kernel");
        let (_, result) = result_of("run", &text, comment(&text, "check").expect("a launch"));
        assert_eq!(codes(&result["problems"]), ["data-race"], "{name}: {result}");
    }
}

#[test]
fn a_proof_says_what_was_executed() {
    let text = fs::read_to_string(support::root().join("tests/fixtures/verdicts/count_of_zero.ptx")).expect("a kernel");
    let (_, none) = result_of("check", &text, "--block 2 --arg data=u32[8] --arg n=u32=0");
    let (_, one) = result_of("check", &text, "--block 2 --arg data=u32[8] --arg n=u32=1");
    assert_eq!((&none["executed"]["accesses"], &none["executed"]["of_accesses"]), (&0.into(), &1.into()));
    assert_eq!(none["undecided"]["reason"], "no-access");
    let store = 1 + text.lines().position(|line| line.contains("st.global")).expect("the store");
    assert_eq!(none["executed"]["missing"], serde_json::json!([store]));
    assert_eq!((&one["verdict"], &one["executed"]["accesses"]), (&"proved".into(), &1.into()));
    assert_eq!(
        (&one["executed"]["missing"], &one["executed"]["instructions"]),
        (&serde_json::json!([]), &one["executed"]["of_instructions"])
    );
    // What is left out is said to people, too, and proposals never have a count of 0.
    let run = run_in(
        &support::root(),
        &["check", "-", "--block", "2", "--arg", "data=u32[8]", "--arg", "n=u32=0"],
        text.as_bytes(),
    );
    assert!(
        run.stdout.contains(&format!("0 of 1 memory accesses; no execution executes line {store}")),
        "{}",
        run.stdout
    );
    let run = run_in(&support::root(), &["check", "-", "--block", "2", "--arg", "data=u32[100]"], text.as_bytes());
    assert!(run.stderr.contains("n=u32=100"), "{}", run.stderr);
}

const UPDATES: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 c, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %i, %n, %r;
	.reg .b64 %c;
	ld.param.u64 %c, [c];
	ld.param.u32 %n, [n];
	mov.u32 %i, 0;
LOOP:
	atom.global.add.u32 %r, [%c], 1;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, %n;
	@%p bra LOOP;
	ret;
}
";

/// 199 were proved and 201 were not.
#[test]
fn the_number_of_updates_whose_order_does_not_matter_does_not_matter() {
    for count in [199, 201, 3000] {
        let options = format!("--grid 2 --arg c=u32[1] --arg n=u32={count} --expect c={}", 2 * count);
        let (_, result) = result_of("check", UPDATES, &options);
        assert_eq!((&result["verdict"], &result["states"]), (&"proved".into(), &1.into()), "{count}: {result}");
    }
}

#[test]
fn a_condition_may_be_long() {
    let sum = vec!["c[0]"; 500].join(" + ");
    let condition = format!("{sum} == {}", 500 * 4);
    let run = run_in(
        &support::root(),
        &["check", "-", "--grid", "2", "--arg", "c=u32[1]", "--arg", "n=u32=2", "--require", &condition],
        UPDATES.as_bytes(),
    );
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

const POINTERS: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 table, .param .u64 last, .param .u64 out)
{
	.reg .b32 %v<3>;
	.reg .b64 %t, %p<3>, %out;
	ld.param.u64 %t, [table];
	ld.param.u64 %p2, [last];
	ld.param.u64 %out, [out];
	ld.global.v2.u64 {%p0, %p1}, [%t];
	ld.global.u32 %v0, [%p0];
	ld.global.u32 %v1, [%p1];
	ld.global.u32 %v2, [%p2];
	st.global.u32 [%out], %v0;
	st.global.u32 [%out+4], %v1;
	st.global.u32 [%out+8], %v2;
	ret;
}
";

#[test]
fn arguments_point_into_buffers() {
    // The buffers that they point into are parts of the module's parameters, in whatever order they are written.
    let arguments = ["--arg", "table=u64[4]=&out,&table+24,0,7", "--arg", "last=&1", "--arg", "out=u32[4]=5"];
    let run = run_in(&support::root(), &[&["run", "-"], &arguments[..]].concat(), POINTERS.as_bytes());
    assert!(run.stderr.contains("`1` is neither a buffer"), "{}", run.stderr);
    for command in ["run", "check"] {
        let options =
            "--arg table=u64[4]=&out,&out+12,0,7 --arg last=&0+24 --arg out=u32[4]=5,0,0,6 --expect out=5,6,7,6";
        let (exit, result) = result_of(command, POINTERS, options);
        assert_eq!(exit, Some(0), "{result}");
    }
    for (argument, message) in [
        ("table=u64[2]=&out,&out+17", "outside of `out`, which has 16 bytes"),
        ("table=u32[4]=&out,&out", "addresses have 8 bytes"),
        ("table=u64[2]=&nobody,&out", "`nobody` is neither a buffer"),
        ("table=u64[2]=&out+x,&out", "not a number of bytes"),
    ] {
        let run = run_in(
            &support::root(),
            &["run", "-", "--arg", argument, "--arg", "last=&out", "--arg", "out=u32[4]"],
            POINTERS.as_bytes(),
        );
        assert!(run.code == 2 && run.stderr.contains(message), "{argument}: {}", run.stderr);
    }
}

/// The same forms in launches of comments.
#[test]
fn launches_in_comments_have_pointers_and_undefined_buffers() {
    let findings = |launch: &str, text: &str| {
        let text = format!("{launch}\n{text}");
        run_in(&support::root(), &["lint", "-", "--format", "jsonl"], text.as_bytes()).stdout
    };
    for command in ["run", "check"] {
        let launch = |table: &str| {
            format!("//! {command} k table={table} last=&0+24 out=u32[4]=5,0,0,6\n//! expect out == 5, 6, 7, 6")
        };
        let right = findings(&launch("u64[4]=&out,&out+12,0,7"), POINTERS);
        assert!(right.is_empty(), "{command}: {right}");
        let wrong = findings(&launch("u64[4]=&out,&out+8,0,7"), POINTERS);
        assert!(wrong.contains("expect"), "{command}: {wrong}");
        let outside = findings(&launch("u64[4]=&out,&out+17,0,7"), POINTERS);
        assert!(outside.contains("outside of `out`, which has 16 bytes"), "{command}: {outside}");
        let undefined = findings(&format!("//! {command} k c=u32[1]=undefined n=u32=1"), UPDATES);
        assert!(undefined.contains("that nothing has written"), "{command}: {undefined}");
        let written = findings(&format!("//! {command} k c=u32[1] n=u32=1"), UPDATES);
        assert!(written.is_empty(), "{command}: {written}");
    }
}

#[test]
fn a_buffer_that_the_host_has_not_written_is_read_by_mistake() {
    let (exit, result) = result_of("run", UPDATES, "--arg c=u32[1]=undefined --arg n=u32=1");
    assert_eq!((exit, codes(&result["problems"])), (Some(1), vec!["uninitialized-read"]), "{result}");
    let (exit, _) = result_of("run", UPDATES, "--arg c=u32[1] --arg n=u32=1");
    assert_eq!(exit, Some(0));
}

/// A part of the value may be known whatever was read, as twice a number is even: the read is the mistake.
#[test]
fn the_read_of_an_unwritten_buffer_is_the_mistake() {
    let text = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry double(.param .u64 in, .param .u64 out)
{
	.reg .b32 %t, %v;
	.reg .b64 %in, %out;
	ld.param.u64 %in, [in];
	ld.param.u64 %out, [out];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %in, %t, 4, %in;
	mad.wide.u32 %out, %t, 4, %out;
	ld.global.u32 %v, [%in];
	shl.b32 %v, %v, 1;
	st.global.u32 [%out], %v;
	ret;
}
";
    for command in ["run", "check"] {
        let options = "--block 32 --arg in=s32[32]=undefined --arg out=s32[32]";
        let (exit, result) = result_of(command, text, options);
        let lines = &result["problems"][0]["lines"];
        assert_eq!((exit, codes(&result["problems"])), (Some(1), vec!["uninitialized-read"]), "{result}");
        assert_eq!(*lines, serde_json::json!([13]), "{command}");
        let (exit, _) = result_of(command, text, &options.replace("undefined", "iota"));
        assert_eq!(exit, Some(0), "{command}");
        // What the kernel has written is no mistake, nor is what nobody reads.
        let (exit, _) = result_of(command, text, "--block 32 --arg in=s32[32]=iota --arg out=s32[32]=undefined");
        assert_eq!(exit, Some(0), "{command}");
    }
}

#[test]
fn buffers_larger_than_memory_are_refused_before_memory_is_taken() {
    let run = run_in(
        &support::root(),
        &["run", "-", "--arg", "c=u32[1000000000000]", "--arg", "n=u32=1"],
        UPDATES.as_bytes(),
    );
    assert!(run.code == 2 && run.stderr.contains("4000000000000 bytes"), "{}", run.stderr);
}

#[test]
fn a_trace_has_memory_after_a_store_of_matrices_and_names_parameters() {
    let text = fs::read_to_string(support::root().join("tests/fixtures/verdicts/matrices_of_equal_values.ptx"))
        .expect("a kernel");
    let (_, result) = result_of("run", &text, "--kernel two --block 32 --arg out=u32[32] --trace thread=1");
    let of = |space: &str, access: &str| {
        let events = result["trace"].as_array().expect("a trace").iter();
        let found = events.filter(|one| one["space"] == space && one["access"] == access).collect::<Vec<_>>();
        found.first().map(|one| one["value"].clone()).unwrap_or_default()
    };
    // The second row has the halves of the registers of lanes 4 to 7.
    assert_eq!(of("shared", "write"), serde_json::json!([4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0]));
    assert!(of("parameter", "read").is_number() && of("global", "read").is_null(), "{result}");
}

#[cfg(target_os = "linux")]
#[test]
fn results_are_saved_in_folders_of_devices() {
    let path = "/dev/shm/ptx-atomics-test.npy";
    let save = format!("c={path}");
    let arguments = ["run", "-", "--arg", "c=u32[1]", "--arg", "n=u32=3", "--save", &save];
    let run = run_in(&scratch("saved"), &arguments, UPDATES.as_bytes());
    let bytes = fs::read(path);
    let _ = fs::remove_file(path);
    assert_eq!((run.code, bytes.expect("the file").last_chunk()), (0, Some(&3_u32.to_le_bytes())), "{}", run.stderr);
}

/// The product has read what the copy wrote, so the store of who has waited for the product comes after both.
#[test]
fn an_epilogue_may_store_where_a_product_has_read_what_a_copy_wrote() {
    let fixture = support::root().join("tests/fixtures/synchronisation/tensor_memory.ptx");
    let text = fs::read_to_string(fixture).expect("a fixture");
    let tile = "tensor(f16[64x128],box=64x128)";
    let options = format!(
        "--kernel matmul --block 64 --shared 131200 --arg 0={tile} --arg 1={tile} --arg 2=u64=68720001024 \
         --arg 3=u64=68720001024 --arg 4=u32=1 --arg 5=u8[2048] --max-states 30"
    );
    let (_, result) = result_of("check", &text, &options);
    assert_eq!(result["verdict"], "proved", "{result}");
    let hasty = text.replacen("    @!q bra WAITD;\n", "", 1);
    assert_ne!(hasty, text);
    let (_, result) = result_of("check", &hasty, &options);
    assert_eq!(result["verdict"], "refuted", "{result}");
    assert!(codes(&result["problems"]).contains(&"data-race"), "{result}");
}
