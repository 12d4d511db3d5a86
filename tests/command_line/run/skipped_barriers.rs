//! `run` and `check`: barriers that take all lanes of a warp, and lanes that go around them and end.

use crate::run_in;
use serde_json::Value;

/// The codes of the problems of a kernel with 64 threads; `%id` is the thread, and `%p` holds in the first three.
fn problems(command: &str, seed: &str, body: &str) -> Vec<String> {
    let text = format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
{{
	.reg .pred %p, %q;
	.reg .b32 %id, %r;
	.reg .b64 %data, %offset;
	ld.param.u64 %data, [data];
	mov.u32 %id, %tid.x;
	mul.wide.u32 %offset, %id, 4;
	add.s64 %data, %data, %offset;
	setp.lt.u32 %p, %id, 3;
	mov.u32 %r, 0;
{body}	ret;
}}
"
    );
    let arguments = [command, "-", "--block", "64", "--arg", "data=u32[64]", "--seed", seed, "--format", "json"];
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let found = result["problems"].as_array().expect("a list");
    let code = |problem: &Value| problem["code"].as_str().expect("a code").to_owned();
    let mut codes: Vec<_> = found.iter().map(code).collect();
    codes.dedup();
    codes
}

#[test]
fn lanes_that_go_around_an_aligned_barrier_are_reported() {
    let bodies = [
        // `if (i < 3) __syncthreads(); data[i] = i;`
        "\t@!%p bra SKIP;\n\tbar.sync 0;\nSKIP:\n\tst.global.u32 [%data], %id;\n",
        "\t@%p bar.sync 0;\n\tst.global.u32 [%data], %id;\n",
        "\t@%p bra SKIP;\n\tbarrier.cta.sync.aligned 1;\nSKIP:\n\tst.global.u32 [%data], %id;\n",
        "\t@%p barrier.cluster.arrive.aligned;\n\tst.global.u32 [%data], %id;\n",
        // The barrier is in a loop that lanes leave at different times.
        "LOOP:\n\tbar.sync 0;\n\tadd.u32 %r, %r, 1;\n\tsetp.le.u32 %q, %r, %id;\n\t@%q bra LOOP;\n\tst.global.u32 [%data], %r;\n",
        // A condition within the one that differs.
        "\t@%p bra SKIP;\n\tsetp.ne.u32 %q, %id, 99;\n\t@!%q bra SKIP;\n\tbar.sync 0;\nSKIP:\n\tst.global.u32 [%data], %id;\n",
    ];
    for body in bodies {
        for (command, seed) in [("run", "0"), ("run", "1"), ("run", "2"), ("run", "3"), ("check", "0")] {
            assert_eq!(problems(command, seed, body), ["barrier-divergence"], "{command} {seed}: {body}");
        }
    }
}

#[test]
fn lanes_that_return_early_are_not_awaited() {
    let bodies = [
        // `if (i < 3) return; __syncthreads();`
        "\t@%p ret;\n\tbar.sync 0;\n\tst.global.u32 [%data], %id;\n",
        "\t@%p bra END;\n\tbar.sync 0;\n\tst.global.u32 [%data], %id;\nEND:\n",
        // The ways meet at the end of the function, after what changes registers alone.
        "\t@%p bra SKIP;\n\tbar.sync 0;\n\tst.global.u32 [%data], %id;\nSKIP:\n\tmov.u32 %r, 1;\n\tbra END;\nEND:\n",
        // The ways meet before the barrier; then some return.
        "\t@%p bra JOIN;\n\tadd.u32 %r, %r, 1;\nJOIN:\n\tbar.sync 0;\n\t@%p ret;\n\tbar.sync 0;\n\tst.global.u32 [%data], %r;\n",
        // Whole warps are under the condition.
        "\tsetp.lt.u32 %q, %id, 32;\n\t@%q bra SKIP;\n\tbar.sync 1, 32;\nSKIP:\n\tst.global.u32 [%data], %id;\n",
        // A barrier that any lanes may execute.
        "\t@%p barrier.cta.arrive 1, 64;\n\tst.global.u32 [%data], %id;\n",
    ];
    for body in bodies {
        for (command, seed) in [("run", "0"), ("run", "1"), ("run", "2"), ("run", "3"), ("check", "0")] {
            assert_eq!(problems(command, seed, body), [""; 0], "{command} {seed}: {body}");
        }
    }
}
