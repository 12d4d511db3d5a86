//! Small launches under `check`: two texts, one for the first thread and one for the others.

use crate::{Run, run_in};
use serde_json::Value;

/// A module in which the first thread executes one text and the others another one. `%x` and `%y` are addresses of buffers.
pub(crate) fn module(first: &str, others: &str) -> String {
    format!(
        "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{{
	.reg .pred %first, %p;
	.reg .b32 %t, %n, %r, %a, %b;
	.reg .b64 %x, %y;
	ld.param.u64 %x, [x];
	ld.param.u64 %y, [y];
	mov.u32 %r, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mov.u32 %t, %tid.x;
	mad.lo.u32 %t, %r, %n, %t;
	setp.eq.u32 %first, %t, 0;
	@!%first bra OTHERS;
{first}
	ret;
OTHERS:
{others}
	ret;
}}
"
    )
}

pub(crate) fn check(text: &str, options: &[&str]) -> Run {
    let arguments = ["check", "-", "--arg", "x=u32[4]", "--arg", "y=u32[4]", "--format", "json"];
    let arguments: Vec<&str> = arguments.into_iter().chain(options.iter().copied()).collect();
    run_in(&support::root(), &arguments, text.as_bytes())
}

/// The exit code, the verdict, whether it is complete, and the codes of the problems.
pub(crate) fn verdict(text: &str, options: &[&str]) -> (i32, String, bool, Vec<String>) {
    let run = check(text, options);
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr));
    let codes = result["problems"].as_array().expect("a list").iter();
    let codes = codes.map(|problem| problem["code"].as_str().expect("a code").to_owned()).collect();
    let verdict = result["verdict"].as_str().expect("a verdict").to_owned();
    (run.code, verdict, result["complete"].as_bool().expect("a boolean"), codes)
}

pub(crate) fn assert_proved(text: &str, options: &[&str]) {
    assert_eq!(verdict(text, options), (0, "proved".to_owned(), true, Vec::new()), "{text}");
}

pub(crate) fn assert_refuted(text: &str, options: &[&str], code: &str) {
    let (exit, verdict, _, codes) = verdict(text, options);
    assert_eq!((exit, &*verdict), (1, "refuted"), "{text}");
    assert!(codes.iter().all(|found| found == code), "{codes:?}\n{text}");
}

pub(crate) const CTAS: [&str; 4] = ["--grid", "2", "--block", "1"];

pub(crate) const THREADS: [&str; 4] = ["--grid", "1", "--block", "2"];

pub(crate) const FOUR: [&str; 4] = ["--grid", "2", "--block", "2"];

pub(crate) fn spin(name: &str, load: &str) -> String {
    format!("{name}: {load} %a, [%y]; setp.eq.u32 %p, %a, 0; @%p bra {name};")
}
