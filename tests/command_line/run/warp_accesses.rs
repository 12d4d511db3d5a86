//! `run`: data races between accesses that lanes make together, and stores of one value.

use crate::run_in;
use serde_json::Value;

/// A kernel of two warps: `%me`, `%out` (global memory), `%s` (64 words of shared memory); `%a` to `%e` are registers.
fn module(body: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
	.reg .pred %p;
	.reg .b32 %me, %s, %own, %a, %b, %c, %d, %e;
	.reg .b64 %out, %wide;
	.shared .align 16 .b32 s[64];
	ld.param.u64 %out, [out];
	mov.u32 %me, %tid.x;
	mov.u32 %s, s;
	mad.lo.u32 %own, %me, 4, %s;
	mul.wide.u32 %wide, %me, 4;
	add.u64 %wide, %wide, %out;
	st.shared.u32 [%own], 0;
	bar.sync 0;
{body}
	ret;
}}
"
    )
}

/// The codes of the problems and of the notes, and the exit code, under some seeds.
fn run(name: &str, body: &str) -> Vec<(Vec<String>, Vec<String>, i32)> {
    let codes = |list: &Value| {
        let list = list.as_array().expect("a list").iter();
        list.map(|one| one["code"].as_str().expect("a code").to_owned()).collect()
    };
    let run = |seed: &str| {
        let launch = ["--block", "64", "--arg", "out=u32[128]", "--format", "json", "--seed", seed];
        let arguments: Vec<&str> = ["run", "-"].into_iter().chain(launch).collect();
        let run = run_in(&support::root(), &arguments, module(body).as_bytes());
        let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{name}: {}", run.stderr));
        (codes(&result["problems"]), codes(&result["notes"]), run.code)
    };
    ["0", "1", "2", "3"].map(run).into()
}

fn assert_silent(name: &str, body: &str) {
    for found in run(name, body) {
        assert_eq!(found, (Vec::new(), Vec::new(), 0), "{name}");
    }
}

fn assert_race(name: &str, body: &str) {
    for (problems, notes, code) in run(name, body) {
        assert!(!problems.is_empty() && problems.iter().all(|code| code == "data-race"), "{name}: {problems:?}");
        assert_eq!((notes.len(), code), (0, 1), "{name}");
    }
}

#[test]
fn lanes_that_access_consecutive_elements_race_with_those_of_other_warps() {
    const WRITE: &str = "st.shared.u32 [%own], %me;";
    // Readers of the other warp, of the next word, of four words at once, of one word, in reverse, of bytes.
    let readers = [
        "xor.b32 %a, %me, 32; mad.lo.u32 %a, %a, 4, %s; ld.shared.u32 %b, [%a];",
        "add.u32 %a, %me, 1; and.b32 %a, %a, 63; mad.lo.u32 %a, %a, 4, %s; ld.shared.u32 %b, [%a];",
        "and.b32 %a, %me, 15; mad.lo.u32 %a, %a, 16, %s; ld.shared.v4.u32 {%b, %c, %d, %e}, [%a];",
        "ld.shared.u32 %b, [%s + 128];",
        "sub.u32 %a, 63, %me; mad.lo.u32 %a, %a, 4, %s; ld.shared.u32 %b, [%a];",
        "add.u32 %a, %me, %s; ld.shared.u8 %b, [%a + 96];",
    ];
    for read in readers {
        assert_silent(read, &format!("{WRITE} bar.sync 0; {read}"));
        assert_race(read, &format!("{WRITE} {read}"));
        // The word is written again while another warp may read it.
        let again = "add.u32 %me, %me, 100; st.shared.u32 [%own], %me;";
        assert_silent(read, &format!("{WRITE} bar.sync 0; {read} bar.sync 0; {again}"));
        assert_race(read, &format!("{WRITE} bar.sync 0; {read} {again}"));
        // Only some lanes.
        let some = format!("and.b32 %c, %me, 3; setp.ne.u32 %p, %c, 0; @%p bra END; {again} END:");
        assert_silent(read, &format!("{WRITE} bar.sync 0; {read} bar.sync 0; {some}"));
        assert_race(read, &format!("{WRITE} bar.sync 0; {read} {some}"));
    }
}

#[test]
fn lanes_that_access_elements_in_reverse_race_as_others_do() {
    const REVERSE: &str = "sub.u32 %a, 63, %me; mad.lo.u32 %a, %a, 4, %s;";
    const WRITE: &str = "st.shared.u32 [%a], %me;";
    let silent = [
        "ld.shared.u32 %b, [%a]; setp.ne.u32 %p, %b, %me; @%p trap;",
        "bar.sync 0; ld.shared.u32 %b, [%own]; add.u32 %b, %b, %me; setp.ne.u32 %p, %b, 63; @%p trap;",
        "setp.gt.u32 %p, %me, 40; @%p ld.shared.u32 %b, [%a]; bar.sync 0; @%p st.shared.u32 [%own], %b;",
        "bar.warp.sync -1; xor.b32 %a, %a, 4; ld.shared.u32 %b, [%a];",
    ];
    for text in silent {
        assert_silent(text, &format!("{REVERSE} {WRITE} {text}"));
    }
    let races = [
        "ld.shared.u32 %b, [%own];",
        "xor.b32 %a, %a, 4; ld.shared.u32 %b, [%a];",
        "bar.sync 0; ld.shared.u32 %b, [%own]; add.u32 %b, %b, 1; st.shared.u32 [%a], %b;",
        "setp.gt.u32 %p, %me, 40; @%p st.shared.u32 [%own], %me;",
    ];
    for text in races {
        assert_race(text, &format!("{REVERSE} {WRITE} {text}"));
    }
}

#[test]
fn lanes_race_in_global_memory_across_the_rows_of_the_detector() {
    let shifted = "ld.global.u32 %a, [%wide + 64];";
    let write = "st.global.u32 [%wide], %me;";
    assert_race("shifted", &format!("{write} {shifted}"));
    assert_silent("shifted", &format!("{write} bar.sync 0; {shifted}"));
    assert_silent("own", &format!("{write} ld.global.u32 %a, [%wide]; st.global.u32 [%wide], %a; {write}"));
    assert_silent("atomic after a barrier", &format!("{write} bar.sync 0; red.global.add.u32 [%out + 8], 1;"));
    assert_race("atomic", &format!("{write} red.global.add.u32 [%out + 8], 1;"));
}

#[test]
fn stores_of_one_value_by_one_instruction_are_a_note() {
    let same = |name: &str, body: &str| {
        for found in run(name, body) {
            assert_eq!(found, (Vec::new(), vec!["same-value-race".to_owned()], 0), "{name}");
        }
    };
    same("one word", "st.global.u32 [%out], 7;");
    same("shared", "st.shared.u32 [%s], 7;");
    same("both warps store the same words", "and.b32 %a, %me, 31; mad.lo.u32 %b, %a, 4, %s; st.shared.u32 [%b], %a;");
    assert_race("different values", "st.global.u32 [%out], %me;");
    let other = "and.b32 %a, %me, 31; mad.lo.u32 %b, %a, 4, %s; st.shared.u32 [%b], %me;";
    assert_race("different values of two warps", other);
    assert_race("a reader", "setp.eq.u32 %p, %me, 0; @%p st.global.u32 [%out], 0; ld.global.u32 %a, [%out];");
    let two = "setp.lt.u32 %p, %me, 32; @%p st.global.u32 [%wide], 0; @!%p st.global.u32 [%wide+-128], 0;";
    assert_race("two instructions", two);
}
