//! `wgmma` in `check` and `run`: accesses to shared memory, and results.

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

/// The same with a tile whose elements are all 1: each sum is 16.
fn product_of_ones() -> String {
    product()
        .replace("{t, t, t, t}", "{one, one, one, one}")
        .replace("    mov.u32 t, %tid.x;", "    .reg .b32 one;\n    mov.b32 one, 0x3f803f80;\n    mov.u32 t, %tid.x;")
}

#[test]
fn claims_on_results_are_decided() {
    // Products of subnormal numbers are below what the sum keeps.
    let zeros = check_product(&product(), &["--expect", "out=0"]);
    assert!(zeros.code == 0 && zeros.stdout.starts_with("proved"), "{}{}", zeros.stdout, zeros.stderr);
    let ones = check_product(&product_of_ones(), &["--require", "out[0] == 16"]);
    assert!(ones.code == 0 && ones.stdout.starts_with("proved"), "{}{}", ones.stdout, ones.stderr);
    let wrong = check_product(&product_of_ones(), &["--require", "out[0] == 17"]);
    assert!(wrong.code == 1, "{}{}", wrong.stdout, wrong.stderr);
    let branch = |compared: &str| {
        let branch = format!("    setp.eq.f32 p, d0, {compared};\n    @p trap;\n    st.shared.u32 [at], t;");
        check_product(&product_of_ones().replace("    st.shared.u32 [at], t;", &branch), &[])
    };
    assert!(branch("0f41800000").stdout.contains("error[trap]"), "{}", branch("0f41800000").stdout);
    assert!(branch("0f41880000").code == 0, "{}", branch("0f41880000").stdout);
    let outside = product().replace("0x0000001000080000", "0x0000010000080000");
    assert!(check_product(&outside, &[]).stdout.contains("error[out-of-bounds]"));
}

#[test]
fn a_run_computes_products() {
    let run = |text: &str| {
        run_in(&support::root(), &["run", "-", "--block", "128", "--arg", "out=f32[512]"], text.as_bytes())
    };
    let ones = run(&product_of_ones());
    assert!(ones.code == 0 && ones.stdout.starts_with("out: f32[512] = 16.0 16.0"), "{}{}", ones.stdout, ones.stderr);
    // Half of the matrix a was not written.
    let half = run(&product_of_ones()
        .replace("    st.shared.v4.u32 [at],", "    setp.lt.u32 p, t, 64;\n    @p st.shared.v4.u32 [at],"));
    assert!(
        half.code == 1 && half.stdout.contains("shared memory") && half.stdout.contains("that nothing has written"),
        "{}{}",
        half.stdout,
        half.stderr
    );
}

#[test]
fn a_result_is_not_read_before_its_wait() {
    let text = product_of_ones().replace("    wgmma.wait_group.sync.aligned 0; //-\n", "");
    let run = run_in(&support::root(), &["run", "-", "--block", "128", "--arg", "out=f32[512]"], text.as_bytes());
    let message = "use of the result of `wgmma.mma_async` before `wgmma.wait_group` has waited for it";
    assert!(run.code == 1 && run.stdout.contains(message), "{}{}", run.stdout, run.stderr);
}

/// Results are followed through memory, copies and the lanes of a warp.
#[test]
fn results_are_followed() {
    const TO_SHARED: &str = "st.shared.f32 [at], d0;";
    for uses in [
        format!("{TO_SHARED} ld.shared.f32 d0, [at];"),
        "mov.b32 base, d0; shfl.sync.idx.b32 base, base, 0, 31, -1; mov.b32 d0, base;".to_owned(),
        "mov.b64 a, {d0, d1}; mov.b64 {d0, d1}, a;".to_owned(),
        format!("{TO_SHARED} red.shared.add.f32 [at], 0f3f800000; ld.shared.f32 d0, [at]; add.f32 d0, d0, 0fbf800000;"),
    ] {
        let text = product_of_ones().replace("    st.shared.u32 [at], t;", &format!("    {uses}"));
        let run = check_product(&text, &["--require", "out[0] == 16"]);
        assert!(run.code == 0, "{uses}: {}{}", run.stdout, run.stderr);
    }
}
