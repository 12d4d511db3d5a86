//! Loops around barriers, counters and calls that come to an end: `run` reports no deadlock.

use crate::run_in;

/// A kernel with arguments of its own must end with a value in the first word of `out`.
fn assert_ends(module: &str, block: &str, value: u32) {
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{module}");
    let expected = format!("out[0]={value}");
    let arguments = ["run", "-", "--block", block, "--arg", "out=u32[2]", "--expect", &expected];
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    assert_eq!(run.code, 0, "{}", run.stdout);
}

/// The consumers add numbers that decide nothing; the producer ends the loop after 1000 turns.
#[test]
fn loops_with_a_barrier_that_end() {
    assert_ends(
        "\
.visible .entry k(.param .u64 out)
{
	.reg .b64 %out;
	.reg .b32 %id, %i, %sum, %d;
	.reg .pred %p, %q;
	.shared .align 4 .b32 done;
	.shared .align 4 .b32 data;
	ld.param.u64 %out, [out];
	mov.u32 %id, %tid.x;
	mov.u32 %i, 0;
	mov.u32 %sum, 0;
	setp.eq.u32 %p, %id, 0;
	@%p st.shared.u32 [done], 0;
	@%p st.shared.u32 [data], 3;
	bar.sync 0;
	setp.eq.u32 %q, %id, 32;
	setp.ge.u32 %p, %id, 32;
	@%p bra PRODUCE;
CONSUME:
	bar.sync 1;
	ld.shared.u32 %d, [done];
	setp.ne.u32 %p, %d, 0;
	@%p bra END;
	ld.shared.u32 %d, [data];
	add.u32 %sum, %sum, %d;
	bar.sync 2;
	bra CONSUME;
PRODUCE:
	@%q st.shared.u32 [data], 3;
	bar.sync 1;
	add.u32 %i, %i, 1;
	bar.sync 2;
	setp.lt.u32 %p, %i, 1000;
	@%p bra PRODUCE;
	@%q st.shared.u32 [done], 1;
	bar.sync 1;
	ret;
END:
	setp.eq.u32 %p, %id, 0;
	@%p st.global.u32 [%out], %sum;
	ret;
}

",
        "64",
        3000,
    );
}

/// A lane counts up to 1000; the others, which meet it at a barrier of the warp, count their turns until then.
#[test]
fn loops_with_a_barrier_of_the_warp_that_end() {
    assert_ends(
        "\
.visible .entry k(.param .u64 out)
{
	.reg .b64 %out;
	.reg .b32 %id, %i, %turns, %d;
	.reg .pred %p;
	ld.param.u64 %out, [out];
	mov.u32 %id, %tid.x;
	mov.u32 %i, 0;
	mov.u32 %turns, 0;
	setp.eq.u32 %p, %id, 0;
	@%p bra COUNT;
POLL:
	add.u32 %turns, %turns, 1;
	bar.warp.sync 0xffffffff;
	ld.volatile.global.u32 %d, [%out+4];
	bar.warp.sync 0xffffffff;
	setp.eq.u32 %p, %d, 0;
	@%p bra POLL;
	setp.eq.u32 %p, %id, 1;
	@%p st.global.u32 [%out], %turns;
	ret;
COUNT:
	add.u32 %i, %i, 1;
	setp.ge.u32 %p, %i, 1000;
	@%p st.volatile.global.u32 [%out+4], 1;
	bar.warp.sync 0xffffffff;
	bar.warp.sync 0xffffffff;
	setp.lt.u32 %p, %i, 1000;
	@%p bra COUNT;
	ret;
}

",
        "32",
        1000,
    );
}

/// Only the carry of the lower half changes the upper one.
#[test]
fn loops_that_count_in_two_halves() {
    assert_ends(
        "\
.visible .entry k(.param .u64 out)
{
	.reg .b64 %out;
	.reg .b32 %low, %high;
	.reg .pred %p;
	ld.param.u64 %out, [out];
	mov.u32 %low, 0;
	mov.u32 %high, 0;
COUNT:
	add.cc.u32 %low, %low, 0x100000;
	addc.u32 %high, %high, 0;
	setp.lt.u32 %p, %high, 2;
	@%p bra COUNT;
	st.global.u32 [%out], %high;
	ret;
}

",
        "1",
        2,
    );
}

/// The loop of the function is the same in each call: the one around the call counts.
#[test]
fn loops_around_a_call_of_a_function_with_a_loop() {
    for (argument, value) in [("%i", 500_500), ("%last", 1_001_000)] {
        let module = format!(
            "\
.func (.reg .b32 %result) twice(.reg .b32 %x)
{{
	.reg .b32 %j;
	.reg .pred %p;
	mov.u32 %j, 0;
	mov.u32 %result, %x;
LOOP:
	add.u32 %result, %result, %j;
	add.u32 %j, %j, 1;
	setp.lt.u32 %p, %j, 2;
	@%p bra LOOP;
	ret;
}}
.visible .entry k(.param .u64 out)
{{
	.reg .b64 %out;
	.reg .b32 %i, %sum, %one, %last;
	.reg .pred %p;
	ld.param.u64 %out, [out];
	mov.u32 %last, 1000;
	mov.u32 %sum, 0;
FIRST:
	add.u32 %sum, %sum, 1;
	setp.le.u32 %p, %sum, 1;
	@%p bra FIRST;
	mov.u32 %sum, 0;
	mov.u32 %i, 0;
CALLS:
	call (%one), twice, ({argument});
	add.u32 %sum, %sum, %one;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, %last;
	@%p bra CALLS;
	st.global.u32 [%out], %sum;
	ret;
}}
"
        );
        assert_ends(&module, "1", value);
    }
}
