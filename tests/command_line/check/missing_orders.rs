//! What `check` says is missing where a third thread passes on what two others race for.

use crate::run_in;
use serde_json::Value;

/// CTA 0 writes data and a flag, CTA 1 waits for it and sets another one, which CTA 2 waits for before it reads the data.
const CHAIN: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry chain(.param .u64 data, .param .u64 flags)
{
	.reg .pred %p;
	.reg .b32 %r;
	.reg .b64 %data, %flags;
	ld.param.u64 %data, [data];
	ld.param.u64 %flags, [flags];
	mov.u32 %r, %ctaid.x;
	setp.eq.u32 %p, %r, 1;
	@%p bra PASS;
	setp.eq.u32 %p, %r, 2;
	@%p bra READ;
	st.global.u32 [%data], 7;
	st.release.gpu.global.u32 [%flags], 1;
	ret;
PASS:
	ld.acquire.gpu.global.u32 %r, [%flags];
	setp.eq.u32 %p, %r, 0;
	@%p bra PASS;
	fence.acq_rel.gpu;
	st.relaxed.gpu.global.u32 [%flags+4], 1;
	ret;
READ:
	ld.relaxed.gpu.global.u32 %r, [%flags+4];
	setp.eq.u32 %p, %r, 0;
	@%p bra READ;
	fence.acq_rel.gpu;
	ld.global.u32 %r, [%data];
	ret;
}
";

fn check(text: &str) -> Value {
    let arguments = ["check", "-", "--grid", "3", "--arg", "data=u32[1]", "--arg", "flags=u32[2]", "--format", "json"];
    let run = run_in(&support::root(), &arguments, text.as_bytes());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

#[test]
fn the_missing_edge_of_a_chain_is_named() {
    assert_eq!(check(CHAIN)["verdict"], "proved");
    let cases = [
        ("st.release", "st.relaxed", [0, 1], "no-release"),
        ("\tfence.acq_rel.gpu;\n\tst", "\tst", [1, 2], "no-release"),
        ("\tfence.acq_rel.gpu;\n\tld", "\tld", [1, 2], "no-acquire"),
        ("\tfence.acq_rel.gpu;\n\tst", "\tfence.acq_rel.cta;\n\tst", [1, 2], "release-scope"),
    ];
    for (right, wrong, ctas, reason) in cases {
        let result = check(&CHAIN.replacen(right, wrong, 1));
        let execution = &result["problems"][0]["execution"];
        let missing = execution["missing"].as_array().unwrap_or_else(|| panic!("{result}"));
        assert_eq!(missing.len(), 1, "{wrong}: {result}");
        let cta =
            |end: &str| execution["events"][missing[0][end].as_u64().unwrap_or_default() as usize]["cta"].as_u64();
        let found = [cta("from"), cta("to")];
        assert_eq!((found, missing[0]["reason"].as_str()), (ctas.map(Some), Some(reason)), "{wrong}: {result}");
    }
}

/// Two copies by one thread are not ordered: neither access is of the thread itself.
#[test]
fn a_race_of_two_copies_of_one_thread_names_the_other_one() {
    let copies = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry copies(.param .u64 in)
{
	.reg .b32 %s;
	.reg .b64 %in;
	.shared .align 16 .b8 tile[16];
	ld.param.u64 %in, [in];
	mov.u32 %s, tile;
	cp.async.ca.shared.global [%s], [%in], 8;
	cp.async.ca.shared.global [%s], [%in+8], 8;
	cp.async.wait_all;
	ret;
}
";
    for command in ["run", "check"] {
        let run = run_in(&support::root(), &[command, "-", "--arg", "in=u32[4]"], copies.as_bytes());
        let expected = "this write and a write of another asynchronous operation of the same thread are not ordered";
        assert!(run.stdout.contains(expected), "{command}: {}{}", run.stdout, run.stderr);
    }
}
