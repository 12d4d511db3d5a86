//! Tensor memory in `run` and `check`: allocation, values, and the order of operations.

use crate::{Run, run_in};

/// A kernel of one warp that allocates columns at `address`, and does something with those from `tm` on.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred p, q; .reg .b32 t, tm, u, v, w, x; .reg .b64 o, a, d;\n\
         .shared .align 1024 .b8 tiles[8192];\n.shared .align 8 .b64 bar;\n.shared .align 4 .b32 address;\n\
         mov.u32 t, %tid.x;\nld.param.u64 o, [out];\nmul.wide.u32 a, t, 4;\nadd.u64 o, o, a;\nsetp.eq.u32 p, t, 0;\n\
         mov.b32 u, tiles;\nshr.u32 u, u, 4;\ncvt.u64.u32 d, u;\nor.b64 d, d, 68720001024;\n\
         @p mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n{body}\nret;\n}}\n"
    )
}

const ALLOCATE: &str = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [address], 64;\n\
                        ld.shared.b32 tm, [address];\n";
const FREE: &str = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 tm, 64;\n";

fn explore(command: &str, body: &str, more: &[&str]) -> Run {
    explore_launch(command, body, ("32", more))
}

fn explore_launch(command: &str, body: &str, (block, more): (&str, &[&str])) -> Run {
    let options = [command, "-", "--block", block, "--arg", "out=u32[64]"];
    let options: Vec<&str> = options.into_iter().chain(more.iter().copied()).collect();
    run_in(&support::root(), &options, kernel(body).as_bytes())
}

#[track_caller]
fn finds(body: &str, problem: &str) {
    let run = explore("check", body, &[]);
    assert!(run.code == 1 && run.stdout.contains(problem), "{problem}: {}{}", run.stdout, run.stderr);
}

#[track_caller]
fn proves(body: &str) {
    let run = explore("check", body, &[]);
    assert!(run.code == 0 && run.stdout.starts_with("proved"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn what_is_stored_is_loaded() {
    let body = format!(
        "{ALLOCATE}add.u32 u, t, 100;\nadd.u32 v, t, 200;\n\
         tcgen05.st.sync.aligned.32x32b.x2.b32 [tm], {{u, v}};\ntcgen05.wait::st.sync.aligned;\n\
         tcgen05.ld.sync.aligned.32x32b.x1.b32 {{w}}, [tm+1];\ntcgen05.wait::ld.sync.aligned;\n{FREE}st.global.u32 [o], w;"
    );
    for command in ["run", "check"] {
        let run = explore(command, &body, &["--require", "out[0] == 200", "--require", "out[31] == 231"]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    }
    // Halves of two columns.
    let packed = body.replace("x1.b32 {w}, [tm+1]", "x1.pack::16b.b32 {w}, [tm]");
    let run = explore("run", &packed, &["--require", "out[1] == 101 + 201 * 65536"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    // A register that is used without a wait has its value.
    let used = body.replace("tcgen05.wait::ld.sync.aligned;\n", "");
    let run = explore("check", &used, &["--require", "out[31] == 231"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn wrong_uses_of_allocations_are_found() {
    let size = |columns: &str| format!("mov.b32 x, {columns};\n{}", ALLOCATE.replace("64", "x"));
    finds(&size("48"), "48 columns of tensor memory: 32, 64, 128, 256 or 512 can be allocated");
    finds(ALLOCATE, "error[tensor-memory-misuse]: 64 columns of tensor memory are not freed");
    finds(&format!("{ALLOCATE}{FREE}{FREE}"), "columns 0 to 63 of tensor memory were not allocated together");
    let relinquished = format!("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n{ALLOCATE}{FREE}");
    finds(&relinquished, "allocation of tensor memory after `tcgen05.relinquish_alloc_permit`");
    let outside = "tcgen05.st.sync.aligned.32x32b.x1.b32 [tm+64], {t};\ntcgen05.wait::st.sync.aligned;\n";
    finds(
        &format!("{ALLOCATE}{outside}{FREE}"),
        "access to columns 64 to 64 of tensor memory, which are not allocated",
    );
    let twice = format!("{}{}", size("512"), size("32"));
    finds(&twice, "deadlock: 32 threads from thread 0 of CTA 0 on wait for 32 free columns of tensor memory");
    let unwritten =
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {w}, [tm];\ntcgen05.wait::ld.sync.aligned;\nst.global.u32 [o], w;\n";
    finds(
        &format!("{ALLOCATE}{unwritten}{FREE}"),
        "read of 128 bytes of tensor memory at 0x0 that nothing has written",
    );
    proves(&format!("{ALLOCATE}{FREE}{ALLOCATE}{FREE}"));
    finds(
        &format!("{ALLOCATE}{FREE}").replace("group::1", "group::2"),
        "allocation with `.cta_group::2` in a cluster without the other CTA of the pair",
    );
    finds(&format!("{}{FREE}", ALLOCATE.replacen("[address]", "[v]", 1)), "uninitialized");
}

/// Only one order of what warps do to allocations is explored, so another one may deadlock if nothing orders them.
#[test]
fn unordered_allocations_are_not_proved() {
    let whole = ALLOCATE.replace("64", "512");
    let free = FREE.replace("64", "512");
    let of_warps = |first: &str, second: &str, more: &str| {
        let body = format!("setp.ge.u32 q, t, 32;\n@q bra OTHER;\n{first}bra END;\nOTHER:\n{second}END:\n{more}");
        let run = explore_launch("check", &body, ("64", &[]));
        (run.code, run.stdout)
    };
    let relinquish = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n";
    let arrive = "setp.eq.u32 p, t, 0;\n@p mbarrier.arrive.shared::cta.b64 _, [bar];\n";
    let wait = "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [bar], 0;\n@!p bra WAIT;\n";
    let store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [0], {t};\ntcgen05.wait::st.sync.aligned;\n";
    let other = whole.replace("[address]", "[tiles]");
    for (first, second) in [
        (format!("{whole}{free}{arrive}"), format!("{other}{wait}{free}")),
        (relinquish.to_owned(), format!("{other}{free}")),
        (format!("{store}bar.sync 1;\n"), format!("{other}bar.sync 1;\n{free}")),
    ] {
        let (code, found) = of_warps(&first, &second, "");
        assert!(code != 0 && !found.starts_with("proved"), "{first}{second}{found}");
    }
    let ordered = of_warps(&format!("{whole}{free}{arrive}"), &format!("{wait}{other}{free}{relinquish}"), "");
    assert!(ordered.0 == 0 && ordered.1.starts_with("proved"), "{}", ordered.1);
}

/// Two products by one thread, of which the second one is at a column and has a descriptor.
fn products(column: u32, descriptor: &str) -> String {
    let product = |column: u32, descriptor: &str, accumulates: u32| {
        format!("@p tcgen05.mma.cta_group::1.kind::f16 [tm+{column}], d, d, {descriptor}, {accumulates};\n")
    };
    format!(
        "{ALLOCATE}{}{}@p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n\
         WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;\n@!q bra WAIT;\n\
         tcgen05.fence::after_thread_sync;\n{FREE}",
        product(0, "0x08040010", 0),
        product(column, descriptor, 1)
    )
}

#[test]
fn products_of_one_accumulator_are_in_order() {
    proves(&products(0, "0x08040010"));
    // One with a mask of lanes.
    proves(&format!("mov.b32 x, 1;\n{}", products(0, "0x08040010, {x,x,x,x}")));
    // Other columns of what the first one writes, and another shape.
    finds(&products(8, "0x08040010"), "error[data-race]: data race in tensor memory at 0x8");
    finds(&products(0, "0x08080010"), "error[data-race]: data race in tensor memory at 0x0");
    finds(&products(32, "0x08040010"), "that nothing has written");
}

#[test]
fn the_order_of_pipelined_operations_is_transitive() {
    let one = "@p tcgen05.cp.cta_group::1.128x256b [tm+32], d;\n\
               @p tcgen05.mma.cta_group::1.kind::f16 [tm], [tm+32], d, 0x08040010, 0;\n";
    let end = "@p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n\
               WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;\n@!q bra WAIT;\n\
               tcgen05.fence::after_thread_sync;\n";
    proves(&format!("{ALLOCATE}{one}{one}{end}{FREE}"));
    let (copy, _) = one.split_at(one.find('\n').expect("a line") + 1);
    finds(&format!("{ALLOCATE}{copy}{one}{end}{FREE}"), "error[data-race]: data race in tensor memory at 0x20");
}

/// Which thread has which element is followed for one shape only.
#[test]
fn a_run_ends_at_other_shapes_of_tiles() {
    let body = format!(
        "{ALLOCATE}tcgen05.st.sync.aligned.16x64b.x1.b32 [tm], {{t}};\ntcgen05.wait::st.sync.aligned;\n\
         tcgen05.ld.sync.aligned.16x64b.x1.b32 {{w}}, [tm];\ntcgen05.wait::ld.sync.aligned;\n{FREE}st.global.u32 [o], w;"
    );
    let run = explore("run", &body, &[]);
    assert!(run.code == 2 && run.stderr.contains("emulation of `tcgen05.st.sync.aligned.16x64b"), "{}", run.stderr);
    proves(&body);
}

#[test]
fn a_second_tile_may_be_before_the_first_one() {
    let store = |second: i32| {
        format!(
            "{ALLOCATE}tcgen05.st.sync.aligned.16x32bx2.x1.b32 [tm+32], {second}, {{t}};\n\
             tcgen05.wait::st.sync.aligned;\n{FREE}"
        )
    };
    proves(&store(-16));
    finds(&store(-33), "of tensor memory, which are not allocated");
}

/// Two CTAs, of which the first one multiplies for both, with a mask.
fn masked_pair(mask: &str) -> Run {
    let sync = "tcgen05.fence::before_thread_sync;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n\
                tcgen05.fence::after_thread_sync;\n";
    let allocate = ALLOCATE.replace("group::1", "group::2");
    let free = FREE.replace("group::1", "group::2");
    let body = format!(
        "{allocate}{sync}mov.u32 x, %cluster_ctarank;\nsetp.ne.u32 q, x, 0;\n@q bra END;\nmov.b32 v, -1;\nmov.b32 w, 0;\n\
         @p tcgen05.mma.cta_group::2.kind::f16 [tm], d, d, 0x10040010, {{{mask}}}, 0;\n\
         @p tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [bar];\n\
         WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;\n@!q bra WAIT;\nEND:\n{sync}{free}"
    );
    explore("check", &body, &["--grid", "2", "--cluster", "2"])
}

#[test]
fn masks_of_a_pair_are_not_followed() {
    let run = masked_pair("w,w,w,w,w,w,w,w");
    assert!(run.code == 0 && run.stdout.starts_with("proved"), "{}{}", run.stdout, run.stderr);
    let run = masked_pair("w,w,w,w,v,v,v,v");
    assert!(
        run.code == 2 && run.stderr.contains("emulation of `tcgen05.mma.cta_group::2"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn a_load_may_end_after_its_memory_is_allocated_again() {
    let store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [tm], {t};\ntcgen05.wait::st.sync.aligned;\n";
    let load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {w}, [tm];\n";
    let wait = "tcgen05.wait::ld.sync.aligned;\n";
    let body = |before: &str, after: &str| {
        format!("{ALLOCATE}{store}{load}{before}{FREE}{ALLOCATE}{after}{store}{FREE}st.global.u32 [o], w;")
    };
    finds(&body("", ""), "error[data-race]: data race in tensor memory at 0x0");
    proves(&body(wait, ""));
    proves(&body("", wait));
}

/// What a warp does together is known to whoever any of its lanes synchronizes with.
#[test]
fn each_lane_can_hand_over_tensor_memory() {
    let body = format!(
        "setp.ge.u32 q, t, 32;\n@q bra OTHER;\n{ALLOCATE}tcgen05.st.sync.aligned.32x32b.x1.b32 [tm], {{t}};\n\
         tcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {{w}}, [tm];\nst.global.u32 [o], w;\n\
         setp.eq.u32 p, t, 5;\n@p mbarrier.arrive.shared::cta.b64 _, [bar];\nbra END;\nOTHER:\n\
         mbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;\n@!q bra OTHER;\n\
         ld.shared.b32 tm, [address];\n{FREE}END:"
    );
    let run = explore_launch("check", &body, ("64", &[]));
    assert!(run.code == 0 && run.stdout.starts_with("proved"), "{}{}", run.stdout, run.stderr);
}

/// What products compute is not known, and a run of one execution ends at them.
#[test]
fn results_of_products_are_not_decided() {
    let body = products(0, "0x08040010");
    let run = explore("run", &body, &[]);
    assert!(
        run.code == 2 && run.stderr.contains("emulation of `tcgen05.mma.cta_group::1.kind::f16`"),
        "{}",
        run.stderr
    );
    let load =
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {w}, [tm];\ntcgen05.wait::ld.sync.aligned;\nst.global.u32 [o], w;\n";
    let stored = body.replace(FREE, &format!("{load}{FREE}"));
    proves(&stored);
    let run = explore("check", &stored, &["--require", "out[0] == 0"]);
    assert!(run.code == 2 && run.stderr.contains("emulation of `tcgen05.mma"), "{}{}", run.stdout, run.stderr);
}

/// By the letter, a synchronization needs the fences of tensor memory whatever its order.
#[test]
fn missing_fences_of_tensor_memory_are_notes() {
    let load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {w}, [tm];\ntcgen05.wait::ld.sync.aligned;\n";
    let body = products(0, "0x08040010").replace(FREE, &format!("{load}{FREE}"));
    let with = explore("check", &body, &[]);
    assert!(with.code == 0 && !with.stdout.contains("missing-tensor-fence"), "{}", with.stdout);
    let without = body.replace("tcgen05.fence::after_thread_sync;\n", "");
    let run = explore("check", &without, &[]);
    assert!(run.code == 0 && run.stdout.contains("[missing-tensor-fence]"), "{}{}", run.stdout, run.stderr);
    let relaxed = without.replace("try_wait.parity.shared", "try_wait.parity.relaxed.cluster.shared");
    finds(&relaxed, "error[data-race]: data race in tensor memory at 0x0");
}
