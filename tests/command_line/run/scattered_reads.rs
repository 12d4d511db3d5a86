//! `run`: scattered reads are in the same order as others, also in large buffers, where they are noted at first.

use crate::run_in;
use serde_json::Value;

/// A kernel of two warps that read words of a buffer in the order of a multiplicative hash; thread 40 then executes a text. `%base` is a part of 64 KB of
/// the buffer.
fn module(order: &str, last: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 start)
{{
	.reg .pred %p;
	.reg .b32 %me, %k, %at, %v, %w;
	.reg .b64 %out, %base, %wide;
	ld.param.u64 %out, [out];
	ld.param.u64 %base, [start];
	add.u64 %base, %out, %base;
	mov.u32 %me, %tid.x;
	mov.u32 %k, 0;
READ:
	mad.lo.u32 %at, %k, 64, %me;
	mul.lo.u32 %at, %at, 2654435761;
	shr.u32 %at, %at, 18;
	mul.wide.u32 %wide, %at, 4;
	add.u64 %wide, %base, %wide;
	ld.global.u32 %v, [%wide];
	add.u32 %k, %k, 1;
	setp.lt.u32 %p, %k, 700;
	@%p bra READ;
{order}
	setp.eq.u32 %p, %me, 40;
	@!%p bra END;
{last}
END:
	ret;
}}
"
    )
}

/// The problems of a run whose accesses begin so far in the buffer, without the addresses, and the exit code.
fn problems(text: &str, start: &str) -> (Vec<Value>, i32) {
    let folder = crate::scratch("scattered-reads");
    std::fs::write(folder.join("k.ptx"), text).expect("a file");
    let start = format!("start=u64={start}");
    let run = run_in(
        &folder,
        &["run", "k.ptx", "--block", "64", "--arg", "out=u32[200000]", "--arg", &start, "--format", "json"],
        b"",
    );
    let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let problems = result["problems"].as_array().expect("a list").iter();
    let problems = problems.map(|one| {
        serde_json::json!({"code": one["code"], "lines": one["lines"], "thread": one["thread"], "count": one["count"]})
    });
    (problems.collect(), run.code)
}

#[test]
fn a_write_behind_scattered_reads_races_with_them_in_every_buffer() {
    let write_all = "mov.u32 %k, 0;\nWRITE:\nmul.wide.u32 %wide, %k, 4;\nadd.u64 %wide, %base, %wide;\n\
                     st.global.u32 [%wide], 7;\nadd.u32 %k, %k, 1;\nsetp.lt.u32 %p, %k, 3000;\n@%p bra WRITE;";
    let update = "atom.global.add.u32 %w, [%base + 400], 1;";
    for (order, last, races) in [
        ("", write_all, true),
        ("", update, true),
        ("bar.warp.sync -1;", write_all, true),
        ("bar.sync 0;", write_all, false),
        ("bar.sync 0;", update, false),
        ("fence.acq_rel.gpu;", update, true),
        ("", "ld.global.v4.u32 {%v, %w, %at, %k}, [%base + 512];", false),
    ] {
        let text = module(order, last);
        let small = problems(&text, "0");
        assert_eq!(problems(&text, "600064"), small, "{order} {last}");
        assert_eq!(!small.0.is_empty(), races, "{order} {last}: {small:?}");
    }
}
