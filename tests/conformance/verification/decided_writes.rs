//! Load buffering in which what is read decides whether or where something is written that another read then misses: no execution without load
//! buffering has the write that depends on that other read.

use crate::checked::{CheckedModule, FinalMemory, sized};
use explorer::Omission;

/// Threads of CTA 0, up to `E:`, which writes 1 to the second word or not; thread 0 of CTA 1 copies that to the first one.
fn kernel_of(threads: &str) -> String {
    format!(
        ".version 8.8\n.target sm_100\n.address_size 64\n.shared .b32 sh[2];\n.entry k(.param .u64 memory) {{\n\
         .reg .b64 %m, %w; .reg .b32 %c, %t, %a, %b, %d; .reg .pred %p, %q;\n\
         ld.param.u64 %m, [memory]; mov.u32 %c, %ctaid.x; mov.u32 %t, %tid.x; mov.u32 %a, 0;\n\
         setp.eq.u32 %q, %t, 0; setp.ne.u32 %p, %c, 0; @%p bra N;\n{threads}\n\
         setp.eq.u32 %p, %d, 5; @%p bra E; st.relaxed.gpu.global.u32 [%m+4], 1; E: ret;\n\
         N: @!%q ret; ld.relaxed.gpu.global.u32 %a, [%m+4]; st.relaxed.gpu.global.u32 [%m], %a; ret;\n}}\n"
    )
}

fn unfinished(threads: u32, code: &str) -> Option<Omission> {
    let second = |memory: &FinalMemory| u32::from_le_bytes([memory[4], memory[5], memory[6], memory[7]]);
    let launch = CheckedModule::new(&kernel_of(code)).launch(&sized("k", 2, threads, &["memory=u32[8]"]));
    let (result, memories, _) = launch.explored_with_claim(1_000_000, |memory| second(memory) != 1);
    assert!(result.problems.is_empty(), "{:?}\n{code}", result.problems);
    assert!(memories.iter().all(|memory| second(memory) != 1), "{code}");
    result.unfinished()
}

const READ: &str = "ld.relaxed.gpu.global.u32 %a, [%m];";
const MISS: &str = "ld.relaxed.gpu.global.u32 %d, [%m+8];";
const MISS_SHARED: &str = "bar.sync 0; @%q ret; ld.shared.u32 %d, [sh];";

#[test]
fn a_write_that_another_value_leaves_out_may_be_missed() {
    let one = |write: &str| format!("{READ} {write} {MISS}");
    let two = |write: &str| format!("@!%q bra B; {READ} {write} B: {MISS_SHARED}");
    let rows = [
        ("a compared value", 1, one("atom.relaxed.gpu.global.cas.b32 %b, [%m+8], %a, 5;")),
        ("an address", 1, one("mul.wide.u32 %w, %a, 4; add.s64 %w, %m, %w; st.global.u32 [%w+8], 5;")),
        (
            "an address from two reads",
            1,
            one("ld.relaxed.gpu.global.u32 %b, [%m+16]; add.u32 %b, %b, %a; mul.wide.u32 %w, %b, 4; \
                 add.s64 %w, %m, %w; st.relaxed.gpu.global.u32 [%w+8], 5;"),
        ),
        ("a guard", 1, one("setp.eq.u32 %p, %a, 0; @%p st.global.u32 [%m+8], 5;")),
        ("a guarded exchange", 1, one("setp.eq.u32 %p, %a, 0; @%p atom.relaxed.gpu.global.exch.b32 %b, [%m+8], 5;")),
        ("a branch before a barrier", 2, two("setp.ne.u32 %p, %a, 0; @%p bra B; st.shared.u32 [sh], 5;")),
        (
            "the rounds of a loop before a barrier",
            2,
            two("setp.ne.u32 %p, %a, 0; L: @%p bra B; st.shared.u32 [sh], 5; add.u32 %a, %a, 1; \
                 setp.gt.u32 %p, %a, 2; bra L;"),
        ),
        (
            "a value through shared memory",
            2,
            format!(
                "@!%q bra B; {READ} st.shared.u32 [sh+4], %a; B: bar.sync 0; @%q ret; ld.shared.u32 %b, [sh+4]; \
                 setp.eq.u32 %p, %b, 0; @%p st.shared.u32 [sh], 5; ld.shared.u32 %d, [sh];"
            ),
        ),
        (
            "an address before a release",
            2,
            format!(
                "@!%q bra B; {READ} mul.wide.u32 %w, %a, 4; add.s64 %w, %m, %w; st.global.u32 [%w+8], 5; \
                 st.release.gpu.global.u32 [%m+24], 1; ret; B: ld.acquire.gpu.global.u32 %b, [%m+24]; \
                 setp.eq.u32 %p, %b, 0; @%p bra B; ld.global.u32 %d, [%m+8];"
            ),
        ),
        (
            "an update before a release",
            2,
            format!(
                "@!%q bra B; {READ} atom.relaxed.gpu.global.cas.b32 %b, [%m+8], %a, 5; \
                 st.release.gpu.global.u32 [%m+24], 1; ret; B: ld.acquire.gpu.global.u32 %b, [%m+24]; \
                 setp.eq.u32 %p, %b, 0; @%p bra B; ld.relaxed.gpu.global.u32 %d, [%m+8];"
            ),
        ),
        (
            "a vote",
            2,
            format!(
                "@!%q bra B; {READ} B: setp.eq.u32 %p, %a, 0; vote.sync.all.pred %p, %p, 3; @%q ret; \
                 @%p st.shared.u32 [sh], 5; ld.shared.u32 %d, [sh];"
            ),
        ),
    ];
    for (name, threads, code) in rows {
        assert_eq!(unfinished(threads, &code).map(Omission::code), Some("load-buffering"), "{name}");
    }
}

#[test]
fn a_write_that_is_there_in_any_case_is_not_missed() {
    let rows = [
        (
            "a branch, on which the later write depends, too",
            1,
            format!("{READ} setp.ne.u32 %p, %a, 0; @%p bra E; st.global.u32 [%m+8], 5; {MISS}"),
        ),
        (
            "a wait",
            2,
            format!("@!%q bra B; L: {READ} setp.ne.u32 %p, %a, 0; @%p bra L; st.shared.u32 [sh], 5; B: {MISS_SHARED}"),
        ),
        (
            "an update that who knows of it has read",
            2,
            format!(
                "@!%q bra B; ld.relaxed.gpu.global.u32 %a, [%m+8]; atom.release.gpu.global.cas.b32 %b, [%m+8], %a, 5; ret; \
                 B: ld.acquire.gpu.global.u32 %b, [%m+8]; setp.eq.u32 %p, %b, 0; @%p bra B; {MISS}"
            ),
        ),
        (
            "a write of what does not depend on the value",
            2,
            format!("@!%q bra B; {READ} st.shared.u32 [sh+4], %a; st.shared.u32 [sh], 5; B: {MISS_SHARED}"),
        ),
    ];
    for (name, threads, code) in rows {
        assert_eq!(unfinished(threads, &code), None, "{name}");
    }
}
