//! `wgmma` in `check`: accesses to shared memory, and results that are not known.

use crate::{Run, run_in};
use std::fs;

/// The kernel of `tests/evidence/verification/threads.ptx` that stores two tiles, multiplies them and overwrites the first.
fn product() -> String {
    let path = support::evidence("verification").join("threads.ptx");
    let text = fs::read_to_string(path).expect("evidence");
    let begin = text.find(".visible .entry sglang_39124").expect("the kernel");
    let end = begin + text[begin..].find("\n}\n").expect("its end") + 3;
    format!(".version 8.6\n.target sm_90a\n.address_size 64\n{}", &text[begin..end])
}

fn check_product(text: &str, more: &[&str]) -> Run {
    let options = ["check", "-", "--block", "128", "--arg", "out=f32[512]"].into_iter().chain(more.iter().copied());
    run_in(&support::root(), &options.collect::<Vec<_>>(), text.as_bytes())
}

#[test]
fn accesses_of_warpgroup_multiplications_are_checked() {
    let text = product();
    let proved = check_product(&text, &[]);
    assert!(proved.stdout.starts_with("proved") && proved.code == 0, "{}{}", proved.stdout, proved.stderr);
    for (removed, problem) in [
        ("fence.proxy.async.shared::cta;", "no `fence.proxy.async` between a write and this asynchronous read"),
        ("wgmma.wait_group.sync.aligned 0;", "this write and a read of another thread are not ordered"),
        ("wgmma.commit_group.sync.aligned;", "this write and a read of another thread are not ordered"),
        ("bar.sync 0;", "error[data-race]"),
    ] {
        let run = check_product(&text.replacen(removed, "", 1), &[]);
        assert!(run.stdout.contains(problem) && run.code == 1, "{removed}: {}{}", run.stdout, run.stderr);
    }
}

/// What a multiplication computes is not known: nothing is claimed that depends on it.
#[test]
fn results_of_warpgroup_multiplications_are_not_decided() {
    let refuses = |run: &Run| run.code == 2 && run.stderr.contains("emulation of `wgmma.mma_async");
    assert!(refuses(&check_product(&product(), &["--expect", "out=0"])));
    let branch = product()
        .replace("    st.shared.u32 [at], t;", "    setp.gt.f32 p, d0, 0f00000000;\n    @p st.shared.u32 [at], t;");
    assert!(refuses(&check_product(&branch, &[])));
    // Through shared memory, too.
    let through =
        product().replace("    st.shared.u32 [at], t;", "    st.shared.f32 [at], d0;\n    ld.shared.f32 d1, [at];");
    let run = check_product(&through, &[]);
    assert!(run.code == 0, "{}{}", run.stdout, run.stderr);
    let branch = through.replace("    ret;", "    setp.gt.f32 p, d1, 0f00000000;\n    @p trap;\n    ret;");
    assert!(refuses(&check_product(&branch, &[])));
    let run = run_in(&support::root(), &["run", "-", "--block", "128", "--arg", "out=f32[512]"], product().as_bytes());
    assert!(refuses(&run), "{}{}", run.stdout, run.stderr);
    let outside = product().replace("0x0000001000080000", "0x0000010000080000");
    assert!(check_product(&outside, &[]).stdout.contains("error[out-of-bounds]"));
}

/// What becomes of results is followed through memory, copies and the lanes of a warp; it is no uninitialized read.
#[test]
fn results_of_warpgroup_multiplications_stay_unknown() {
    const TO_SHARED: &str = "st.shared.f32 [at], d0;";
    const COPY: &str = "fence.proxy.async; bar.sync 0; setp.eq.u32 p, t, 0; \
                        @p cp.async.bulk.global.shared::cta.bulk_group [to], [base], 2048; \
                        cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0; ret;";
    const REDUCED: &str = "fence.proxy.async; bar.sync 0; setp.eq.u32 p, t, 0; \
                           @p cp.async.bulk.global.shared::cta.bulk_group [to], [base], 256; \
                           cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; \
                           @p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [to], [base+2048], 256; \
                           cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;";
    for (uses, is_proved_alone) in [
        (format!("{TO_SHARED} {REDUCED}"), true),
        (format!("{TO_SHARED} {COPY}"), true),
        (format!("{TO_SHARED} st.shared.b8 [at+3], t; ld.shared.f32 d0, [at];"), true),
        (format!("{TO_SHARED} ld.shared.f32 d0, [at];"), true),
        ("mov.b32 base, d0; shfl.sync.idx.b32 base, base, 0, 31, -1; mov.b32 d0, base;".to_owned(), true),
        ("cvt.rn.f16x2.f32 base, d0, d1; prmt.b32 base, base, base, 0x1032; mov.b32 d0, base;".to_owned(), true),
        ("mov.b64 a, {d0, d1}; mov.b64 {d0, d1}, a;".to_owned(), true),
        ("setp.gt.f32 p, d0, 0f00000000; selp.f32 d0, 0f00000000, 0f3f800000, p;".to_owned(), true),
        (
            "setp.gt.f32 p, d0, 0f00000000; selp.u32 base, 0, 1, p; st.shared.u32 [at], base; ld.shared.f32 d0, [at];"
                .to_owned(),
            true,
        ),
        (format!("{TO_SHARED} red.shared.add.f32 [at], 0f3f800000;"), false),
        (format!("{TO_SHARED} atom.shared.exch.b32 base, [at], 1;"), false),
        ("mov.b32 base, d0; stmatrix.sync.aligned.m8n8.x1.shared.b16 [at], {base};".to_owned(), false),
    ] {
        let text = product()
            .replace("    st.shared.u32 [at], t;", &format!("    {uses}"))
            .replace("{d0, d1, d2, d3};\n    ret", "{d0, d0, d0, d0};\n    ret");
        let run = check_product(&text, &[]);
        let expected = if is_proved_alone { 0 } else { 2 };
        assert!(run.code == expected && !run.stdout.contains("uninitialized"), "{uses}: {}{}", run.stdout, run.stderr);
        let run = check_product(&text, &["--require", "out[0] == 0"]);
        let is_refused = run.code == 2 && run.stderr.contains("emulation of `wgmma.mma_async");
        assert!(is_refused, "{uses}: {}{}", run.stdout, run.stderr);
    }
}
