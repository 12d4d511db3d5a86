//! `run`: exchanges between lanes in a function that the lanes of a warp call one group after the other.

use crate::run_in;
use serde_json::Value;

/// The last two lanes are in a loop for long before they call `pair` as the others do: it adds the values of two neighbours.
const MODULE: &str = "\
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 sum) pair(.param .b32 value)
{
	.reg .b32 %r<4>;
	ld.param.b32 %r1, [value];
	shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffffffff;
	add.s32 %r3, %r1, %r2;
	st.param.b32 [sum], %r3;
	ret;
}
.visible .entry k(.param .u64 out)
{
	.reg .b32 %lane, %value, %sum, %left;
	.reg .b64 %out, %offset;
	.reg .pred %p;
	mov.u32 %lane, %tid.x;
	mov.u32 %value, %lane;
	setp.lt.u32 %p, %lane, 30;
	@%p bra call;
	mov.u32 %left, 2000;
again:
	add.s32 %value, %value, 1;
	add.s32 %left, %left, -1;
	setp.gt.s32 %p, %left, 0;
	@%p bra again;
call:
	{
	.param .b32 argument;
	.param .b32 result;
	st.param.b32 [argument], %value;
	call.uni (result), pair, (argument);
	ld.param.b32 %sum, [result];
	}
	ld.param.u64 %out, [out];
	mul.wide.u32 %offset, %lane, 4;
	add.s64 %out, %out, %offset;
	st.global.u32 [%out], %sum;
	ret;
}
";

#[test]
fn lanes_that_enter_a_function_one_after_the_other_exchange_values_in_it() {
    let sums: Vec<u32> = (0..32).map(|lane| if lane < 30 { lane / 2 * 4 + 1 } else { 4000 + 61 }).collect();
    for seed in ["0", "1", "2", "3"] {
        let arguments = ["run", "-", "--block", "32", "--arg", "out=u32[32]", "--seed", seed, "--format", "json"];
        let run = run_in(&support::root(), &arguments, MODULE.as_bytes());
        let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!((&result["problems"], run.code), (&Value::Array(Vec::new()), 0), "seed {seed}");
        assert_eq!(result["memory"]["out"], serde_json::json!(sums), "seed {seed}");
    }
}

/// Without optimization, a member of one byte is loaded before it is written, and the loaded value is not used.
#[test]
fn an_unused_load_of_a_member_that_nothing_has_written_is_no_problem() {
    let module = |space: &str| {
        format!(
            "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
	.local .align 8 .b8 members[8];
	.reg .b16 %unused, %h;
	.reg .b64 %local, %out;
	mov.u64 %local, members;
	cvta.local.u64 %out, %local;
	ld{space}.u8 %unused, [%{address}];
	mov.u16 %h, 7;
	st.local.u8 [%local], %h;
	ld.local.u8 %h, [%local];
	ld.param.u64 %out, [out];
	st.global.u8 [%out], %h;
	ret;
}}
",
            address = if space.is_empty() { "out" } else { "local" }
        )
    };
    for (space, codes) in [("", &[][..]), (".local", &["uninitialized-read"])] {
        let arguments = ["run", "-", "--arg", "out=u8[1]", "--format", "json"];
        let run = run_in(&support::root(), &arguments, module(space).as_bytes());
        let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let problems = result["problems"].as_array().expect("a list");
        let found: Vec<_> = problems.iter().map(|problem| problem["code"].as_str().expect("a code")).collect();
        assert_eq!(found, codes, "{space}");
    }
}
