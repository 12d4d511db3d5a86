//! Products of matrices in `run`: which GPU computes, and what is said of it. Their values: tests/conformance/matrix_products.

use crate::{Run, run_in};

/// Each row of a is 1 and four times 2^-12, each column of b is 1 and four times 2^-13: a GPU adds 2^-23 to 1, or nothing if it keeps less.
const SUM_OF_SMALL_PRODUCTS: &str = "\
.version 8.6
.target sm_80
.address_size 64
.visible .entry sum(.param .u64 out)
{
    .reg .pred p<4>;
    .reg .b32 t, a, b, zero;
    .reg .f32 d<4>, c;
    .reg .b64 to;
    ld.param.u64 to, [out];
    mov.u32 t, %laneid;
    and.b32 t, t, 3;
    setp.eq.u32 p0, t, 0;
    setp.eq.u32 p1, t, 1;
    setp.eq.u32 p2, t, 2;
    mov.b32 a, 0;
    mov.b32 b, 0;
    mov.b32 zero, 0;
    mov.f32 c, 0f00000000;
    @p0 mov.b32 a, 0x0c003c00;
    @p1 mov.b32 a, 0x0c000c00;
    @p2 mov.b32 a, 0x00000c00;
    @p0 mov.b32 b, 0x08003c00;
    @p1 mov.b32 b, 0x08000800;
    @p2 mov.b32 b, 0x00000800;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, {a, a, zero, zero}, {b, zero}, {c, c, c, c};
    st.global.f32 [to], d3;
    ret;
}
";

fn run(text: &str, more: &[&str]) -> Run {
    let options = ["run", "-", "--block", "32", "--arg", "out=u32[1]"].into_iter().chain(more.iter().copied());
    run_in(&support::root(), &options.collect::<Vec<_>>(), text.as_bytes())
}

#[test]
fn the_gpu_decides_how_sums_are_rounded() {
    let note = "info[published-arithmetic]: products of matrices are rounded as published for sm_80";
    for (gpu, sum, is_published) in
        [(None, "1065353216", true), (Some("a100"), "1065353216", true), (Some("h200"), "1065353217", false)]
    {
        let options: Vec<&str> = gpu.iter().flat_map(|gpu| ["--gpu", gpu]).collect();
        let run = run(SUM_OF_SMALL_PRODUCTS, &options);
        assert!(run.stdout.starts_with(&format!("out: u32[1] = {sum}\n")), "{gpu:?}: {}{}", run.stdout, run.stderr);
        assert!(run.code == 0 && run.stdout.contains(note) == is_published, "{gpu:?}: {}", run.stdout);
    }
}

#[test]
fn a_gpu_runs_no_code_for_newer_ones() {
    let older = run(SUM_OF_SMALL_PRODUCTS, &["--gpu", "v100"]);
    assert!(older.code == 2 && older.stderr.contains("sm_70 cannot run code for sm_80"), "{}", older.stderr);
    let unknown = run(SUM_OF_SMALL_PRODUCTS, &["--gpu", "voodoo"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("expected a target or a GPU"), "{}", unknown.stderr);
}

#[test]
fn a_product_of_an_undefined_element_is_undefined() {
    let text = SUM_OF_SMALL_PRODUCTS.replace("    mov.b32 b, 0;\n", "");
    let run = run(&text, &[]);
    assert!(
        run.code == 1 && run.stdout.contains("error[uninitialized-read]: use of `b`"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}
