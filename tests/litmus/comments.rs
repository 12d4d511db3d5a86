//! Asynchronous operations in functions with litmus tests in comments: claims, and the weakest changes that make them hold.

use evaluation::litmus::{ClaimDiagnostic, claim_diagnostics};
use isa::Module;
use syntax::LintFile;

/// A module with a claim about a thread, or a producer and a consumer.
fn module(claims: &str, functions: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 16 .b32 tile[4];\n.shared .align 8 .b64 full;\n\
         .global .align 16 .b32 out[4];\n{claims}\n{functions}"
    )
}

fn function(name: &str, body: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 in)\n{{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n{body}\nret;\n}}\n"
    )
}

/// The titles of the fixes of claims that do not hold, and the messages of those that cannot be decided.
fn answers(text: &str) -> Vec<String> {
    let diagnostics = claim_diagnostics(&LintFile::parse(text), &Module::default());
    let answer = |diagnostic| match diagnostic {
        ClaimDiagnostic::Contradicted { repair, message, .. } => repair.map_or(message, |repair| repair.title),
        ClaimDiagnostic::Undecided(error) => error.message,
    };
    diagnostics.into_iter().map(answer).collect()
}

/// A store that a bulk copy reads, with or without a proxy fence.
fn store(fence: &str) -> String {
    let body = format!(
        "st.shared.u32 [tile], 5;\n{fence}cp.async.bulk.global.shared::cta.bulk_group [out], [tile], 16;\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nld.global.u32 %r2, [out];"
    );
    module("//! thread f @ cta 0\n//! forbid f:%r2 == 0", &function("f", &body))
}

/// A box of two rows that is written to a tensor, with or without a proxy fence.
fn tensor_store(fence: &str) -> String {
    let body = format!(
        "ld.param.u64 %rd1, [in];\nmov.u32 %r1, 1;\nst.shared.u32 [tile+16], 5;\n{fence}\
         cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {{0, %r1}}], [tile];\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nld.global.u32 %r2, [out+64];"
    );
    let claims = "//! thread f @ cta 0\n//! init in = tensor(u32[8x4], box=4x2, of=out)\n//! forbid f:%r2 == 0";
    module(claims, &function("f", &body)).replace("tile[4]", "tile[8]").replace("out[4]", "out[32]")
}

/// A comment says what is known of the tensor map, as the arguments of `run` do.
#[test]
fn boxes_of_tensors_are_copied() {
    assert_eq!(answers(&tensor_store("fence.proxy.async;\n")), [""; 0]);
    assert_eq!(answers(&tensor_store("")), ["Insert `fence.proxy.async` to make the outcome impossible"]);
    let right = tensor_store("fence.proxy.async;\n");
    for (from, to, message) in [
        ("box=4x2", "box=4x1", "Weaken"),
        ("%r1, 1", "%r1, 3", "box leaves the tensor"),
        ("mov.u32 %r1, 1", "ld.global.u32 %r1, [out+4]", "is not a constant"),
        ("u32[8x4], box=4x2", "u32[8x1024], box=256x256", "box of 262144 bytes does not fit into shared memory"),
        ("{0, %r1}", "{%r1}", "1 coordinates for a tensor map with 2 dimensions"),
        ("//! init in = tensor(u32[8x4], box=4x2, of=out)\n", "", "unknown tensor map"),
        (", of=out", "", "its tensor in a variable or parameter"),
    ] {
        assert!(right.contains(from), "{from}");
        let found = answers(&right.replace(from, to));
        match message {
            "Weaken" => assert_eq!(found.len(), 1, "{to}: {found:?}"),
            _ => assert!(found.iter().any(|found| found.contains(message)), "{to}: {found:?}"),
        }
    }
}

/// Two matrices that threads write, and their product: in claims it is the sum of their first elements.
fn product(fence: &str, issue: &str, wait: &str) -> String {
    let body = format!(
        "st.shared.u32 [tile], 5;\nst.shared.u32 [other], 7;\n{fence}bar.sync 0;\n{issue}\
         mov.u32 %r0, tile;\nshr.u32 %r1, %r0, 4;\nand.b32 %r2, %r1, 16383;\ncvt.u64.u32 %rd0, %r2;\nor.b64 %rd1, %rd0, 34359803904;\n\
         mov.u32 %r3, other;\nshr.u32 %r4, %r3, 4;\nand.b32 %r5, %r4, 16383;\ncvt.u64.u32 %rd2, %r5;\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd1, %rd2, 1, 1, 1, 0, 0;\n\
         wgmma.commit_group.sync.aligned;\n{wait}"
    );
    let function = function("f", &body).replace(".reg .b32 %r<4>;", ".reg .b32 %r<8>; .reg .f32 %f<4>;");
    let shared = ".shared .align 8 .b64 full;\n.shared .align 16 .b32 other[4];";
    module("//! thread f @ cta 0\n//! forbid f:%f0 != 12", &function).replace(".shared .align 8 .b64 full;", shared)
}

#[test]
fn products_of_warpgroups_read_shared_memory() {
    let (fence, issue, wait) =
        ("fence.proxy.async;\n", "wgmma.fence.sync.aligned;\n", "wgmma.wait_group.sync.aligned 0;\n");
    assert_eq!(answers(&product(fence, issue, wait)), [""; 0]);
    for (fence, issue, wait) in [("", issue, wait), (fence, "", wait), (fence, issue, "")] {
        let found = answers(&product(fence, issue, wait));
        assert_eq!(found.len(), 1, "{fence}{issue}{wait}: {found:?}");
        assert!(!found[0].contains("descriptor"), "{found:?}");
    }
    let unknown = product(fence, issue, wait).replace("mov.u32 %r3, other", "mov.u32 %r3, 1024");
    assert!(answers(&unknown)[0].contains("is of no shared variable"), "{:?}", answers(&unknown));
    let right = product(fence, issue, wait);
    let scaled = |first: &str| {
        right
            .replace("st.shared.u32 [tile]", &format!("{first}\nst.shared.u32 [tile]"))
            .replace("%rd2, 1,", "%rd2, %p,")
    };
    assert_eq!(answers(&scaled("setp.eq.u32 %p, 1, 1;")), [""; 0]);
    let loaded = scaled("ld.global.u32 %r6, [out];\nsetp.ne.u32 %p, %r6, 0;");
    assert!(answers(&loaded)[0].contains("scale-d is not a constant"), "{:?}", answers(&loaded));
    // The second half of a large variable is no other one.
    let large = right.replace("tile[4]", "tile[8192]").replace("[tile], 5", "[tile+16384], 5");
    let large = large.replace("mov.u32 %r0, tile;", "mov.u32 %r6, tile;\nadd.u32 %r0, %r6, 16384;");
    assert_eq!(answers(&large), [""; 0]);
    let outside = large.replace("tile[8192]", "tile[16]");
    assert!(answers(&outside)[0].contains("is of no shared variable"), "{:?}", answers(&outside));
    let many = right.replace("tile[4]", "tile[65536]");
    assert!(answers(&many)[0].contains("more than the 256 KiB"), "{:?}", answers(&many));
}

/// A product in tensor memory that an mbarrier announces to a thread that reads it, and what the second of these threads does before and after its load.
fn tensor_product(fence: &str, commit: &str, wait: &str, end: &str) -> String {
    let descriptor = |name: &str, to: usize, at: usize| {
        format!(
            "mov.u32 %r{at}, {name};\nshr.u32 %r{}, %r{at}, 4;\nand.b32 %r{}, %r{}, 16383;\ncvt.u64.u32 %rd{to}, %r{};\n",
            at + 1,
            at + 2,
            at + 1,
            at + 2
        )
    };
    let multiply = format!(
        "mbarrier.init.shared.b64 [full], 1;\nst.shared.u32 [tile], 5;\nst.shared.u32 [other], 7;\n{fence}\
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\nbar.sync 0;\nld.shared.u32 %r0, [slot];\n{}{}\
         tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, 135268368, 0;\n{commit}",
        descriptor("tile", 0, 3),
        descriptor("other", 1, 6)
    );
    let load = format!(
        "bar.sync 0;\nld.shared.u32 %r0, [slot];\nL:\nmbarrier.{wait}.shared::cta.b64 %p, [full], 0;\n@!%p bra L;\n\
         tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r1}}, [%r0];\n{end}"
    );
    let functions = function("multiply", &multiply) + &function("load", &load);
    let functions = functions.replace(".reg .b32 %r<4>;", ".reg .b32 %r<16>;");
    let shared = ".shared .align 8 .b64 full;\n.shared .align 16 .b32 other[4];\n.shared .align 4 .b32 slot;";
    let claims = "//! thread multiply @ cta 0\n//! thread load @ cta 0\n//! forbid load:%r1 != 12";
    module(claims, &functions).replace(".shared .align 8 .b64 full;", shared).replace("sm_90a", "sm_100a")
}

const COMMIT: &str = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [full];\n";

#[test]
fn products_in_tensor_memory_are_announced() {
    let fence = "fence.proxy.async;\n";
    for wait in ["try_wait.parity", "try_wait.parity.relaxed.cta"] {
        assert_eq!(answers(&tensor_product(fence, COMMIT, wait, "")), [""; 0], "{wait}");
    }
    let contradicted = |text: &str| {
        let found = answers(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(!found[0].contains("supported") && !found[0].contains("constant"), "{found:?}");
    };
    contradicted(&tensor_product("", COMMIT, "try_wait.parity", ""));
    let relaxed = tensor_product(fence, COMMIT, "try_wait.parity.relaxed.cta", "");
    contradicted(&relaxed.replace("tcgen05.fence::after_thread_sync;\n", ""));
    let early = tensor_product(fence, "mbarrier.arrive.shared.b64 _, [full];\n", "try_wait.parity", "");
    contradicted(&early);
    // What is added to the product, and overlapping columns.
    let sum = tensor_product(fence, COMMIT, "try_wait.parity", "").replace("135268368, 0;", "135268368, 1;");
    assert_eq!(answers(&sum), [""; 0]);
    let columns = |to: &str| answers(&tensor_product(fence, COMMIT, "try_wait.parity", "").replace("{%r1}, [%r0]", to));
    assert!(
        columns("{%r1}, [%r0+4]")[0].contains("do not begin at the same column"),
        "{:?}",
        columns("{%r1}, [%r0+4]")
    );
    assert!(columns("{%r1}, [%r0+2097152]")[0].contains("access to lane 32"), "{:?}", columns("{%r1}, [%r0+2097152]"));
}

/// A product overwrites what a thread has loaded, which tells it so by relaxed accesses.
#[test]
fn loads_of_tensor_memory_are_waited_for() {
    let text = |wait: &str, before: &str, after: &str| {
        let load = format!(
            "mov.u32 %r0, 0;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r1}}, [%r0];\n{wait}{before}st.relaxed.cta.shared.u32 [tile], 1;"
        );
        let store = format!(
            "mov.u32 %r0, 0;\nld.relaxed.cta.shared.u32 %r2, [tile];\n{after}setp.eq.u32 %p, %r2, 0;\n@%p bra E;\nmov.u32 %r3, 9;\n\
             tcgen05.st.sync.aligned.32x32b.x1.b32 [%r0], {{%r3}};\nE:"
        );
        let functions = function("load", &load) + &function("store", &store);
        let claims = "//! thread load @ cta 0\n//! thread store @ cta 0\n//! forbid load:%r1 == 9";
        module(claims, &functions).replace("sm_90a", "sm_100a")
    };
    let (wait, before, after) = (
        "tcgen05.wait::ld.sync.aligned;\n",
        "tcgen05.fence::before_thread_sync;\n",
        "tcgen05.fence::after_thread_sync;\n",
    );
    assert_eq!(answers(&text(wait, before, after)), [""; 0]);
    for wrong in [text("", before, after), text(wait, "", after), text(wait, before, "")] {
        assert_eq!(answers(&wrong).len(), 1, "{wrong}");
    }
    // A wait that is jumped over is none.
    let skipped = format!("bra S;\n{wait}S:\n");
    let found = claim_diagnostics(&LintFile::parse(&text(&skipped, before, after)), &Module::default());
    let [ClaimDiagnostic::Contradicted { events, .. }] = &found[..] else { panic!("{found:?}") };
    assert!(!events.is_empty() && events.iter().all(|(_, event)| !event.contains("(register")), "{events:?}");
}

/// The address of an allocation has to be there before another thread loads it, whatever orders what follows.
#[test]
fn addresses_of_allocations_are_loaded_after_a_barrier() {
    let right = tensor_product("fence.proxy.async;\n", COMMIT, "try_wait.parity", "");
    let load = "bar.sync 0;\nld.shared.u32 %r0, [slot];\nL:\n";
    assert!(right.contains(load));
    let early = right.replace(load, "ld.shared.u32 %r0, [slot];\nbar.sync 0;\nL:\n");
    assert_eq!(answers(&early), ["`slot` can be loaded before `tcgen05.alloc` has written the address"]);
    let after = right
        .replace(load, "bar.sync 0;\nL:\n")
        .replace("tcgen05.fence::after", "ld.shared.u32 %r0, [slot];\ntcgen05.fence::after");
    assert_eq!(answers(&after), [""; 0]);
    // Nothing waits for the phase with an order.
    let relaxed = after.replace("bar.sync 0;\nL:", "L:").replace("try_wait.parity", "try_wait.parity.relaxed.cta");
    assert!(answers(&relaxed)[0].contains("`slot` can be loaded before"), "{:?}", answers(&relaxed));
}

/// Two numbers that are stored where two allocations begin, and what is known of the first one afterwards.
fn allocations(count: &str, end: &str) -> Vec<String> {
    let allocate = |slot: &str| format!("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{slot}], {count};\n");
    let store = |at: &str, value: u32| {
        format!("mov.b32 %r3, {value};\ntcgen05.st.sync.aligned.32x32b.x1.b32 [{at}], {{%r3}};\n")
    };
    let body = format!(
        "mov.b32 %r2, 32;\n{}{}ld.shared.u32 %r0, [tile];\nld.shared.u32 %r4, [slot];\n{}{}\
         tcgen05.wait::st.sync.aligned;\n{end}",
        allocate("tile"),
        allocate("slot"),
        store("%r0", 7),
        store("%r4", 8)
    );
    let text = module("//! thread f @ cta 0\n//! forbid f:%r1 != 7", &function("f", &body));
    let shared = ".shared .align 4 .b32 slot;\n.shared .align 8 .b64 full;";
    answers(&text.replace(".shared .align 8 .b64 full;", shared).replace("%r<4>", "%r<8>").replace("sm_90a", "sm_100a"))
}

#[test]
fn allocations_of_tensor_memory_have_columns_of_their_own() {
    let load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r0];";
    for count in ["32", "0x20", "%r2"] {
        assert_eq!(allocations(count, load), [""; 0], "{count}");
    }
    let written = "`tile`, which `tcgen05.alloc` writes, is written by another instruction";
    let skipped = "setp.eq.u32 %p, %r1, 3;\n@%p bra E;\nmov.u32 %r5, tile;\nst.shared.u32 [%r5], 77;\nE:";
    for write in ["st.shared.u32 [tile], 77;", "red.shared.add.u32 [tile], 1;", skipped] {
        assert_eq!(allocations("32", &format!("{load}\n{write}")), [written]);
    }
}

/// One register of a tile has a value, and one CTA of a pair is followed.
#[test]
fn parts_of_tensor_memory_that_are_not_followed_are_errors() {
    let load = "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r5}, [%r0];";
    assert_eq!(allocations("32", load), [""; 0]);
    let other = "`%r5` is not the first register of the load, and another instruction uses it";
    assert_eq!(allocations("32", &format!("{load}\nadd.u32 %r6, %r5, 0;")), [other]);
    let again = "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {%r1, %r5};";
    assert_eq!(allocations("32", &format!("{load}\n{again}")), [""; 0]);
    let pair = tensor_product("", &COMMIT.replace("group::1", "group::2"), "try_wait.parity", "");
    let pair = pair.replace("mma.cta_group::1", "mma.cta_group::2");
    assert_eq!(answers(&pair), ["`tcgen05.mma.cta_group::2.kind::f16` is not supported in litmus tests"]);
}

/// A box that an mbarrier announces; swizzled, a row is where its chunk has gone.
#[test]
fn boxes_of_tensors_are_announced() {
    let pipeline = |options: &str, place: &str, wait: &str| {
        let claims = format!(
            "//! thread producer @ cta 0\n//! thread consumer @ cta 0\n//! init out = 7\n\
             //! init in = tensor(u32[8x4], box=4x4{options}, of=out)\n//! forbid consumer:%r1 != 7"
        );
        let producer = "ld.param.u64 %rd1, [in];\nmbarrier.init.shared.b64 [full], 1;\nbar.sync 0;\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 64;\n\
             cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {0, 0}], [full];";
        let consumer = format!(
            "bar.sync 0;\nL:\nmbarrier.{wait}.shared::cta.b64 %p, [full], 0;\n@!%p bra L;\nld.shared.u32 %r1, [tile{place}];"
        );
        let text = module(&claims, &(function("producer", producer) + &function("consumer", &consumer)));
        text.replace("tile[4]", "tile[64]").replace("out[4]", "out[32]")
    };
    assert_eq!(answers(&pipeline("", "", "try_wait.parity")), [""; 0]);
    assert_eq!(answers(&pipeline("", "+16", "try_wait.parity")).len(), 1);
    assert_eq!(answers(&pipeline("", "", "try_wait.parity.relaxed.cta")).len(), 1);
}

#[test]
fn a_missing_proxy_fence_is_inserted_before_the_copy() {
    assert_eq!(answers(&store("fence.proxy.async;\n")), [""; 0]);
    assert_eq!(answers(&store("fence.proxy.async.shared::cta;\n")), [""; 0]);
    for wrong in ["", "fence.proxy.async.global;\n", "fence.acq_rel.gpu;\n"] {
        assert_eq!(answers(&store(wrong)), ["Insert `fence.proxy.async` to make the outcome impossible"], "{wrong}");
    }
}

/// A producer's copy and a consumer that waits for it.
fn pipeline(arrive: &str, wait: &str, place: &str) -> String {
    let claims = format!(
        "//! thread producer @ cta 0\n//! thread consumer @ {place}\n//! init in = 7\n//! forbid consumer:%r1 == 0"
    );
    let producer = format!(
        "ld.param.u64 %rd1, [in];\nmbarrier.init.shared.b64 [full], 1;\nbar.sync 0;\n{arrive} _, [full], 16;\n\
         cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%rd1], 16, [full];"
    );
    let consumer = format!("bar.sync 0;\nL:\n{wait} %p, [full], 0;\n@!%p bra L;\nld.shared.u32 %r1, [tile];");
    module(&claims, &(function("producer", &producer) + &function("consumer", &consumer)))
}

#[test]
fn the_order_of_a_wait_for_an_mbarrier_is_repaired() {
    let arrive = "mbarrier.arrive.expect_tx.shared.b64";
    assert_eq!(answers(&pipeline(arrive, "mbarrier.try_wait.parity.shared.b64", "cta 0")), [""; 0]);
    assert_eq!(
        answers(&pipeline(arrive, "mbarrier.try_wait.parity.relaxed.cta.shared.b64", "cta 0")),
        ["Use `mbarrier.try_wait.parity.acquire.cta.shared.b64` to make the outcome impossible"]
    );
}

#[test]
fn groups_of_copies_are_waited_for() {
    let copy = |wait: &str| {
        let body = format!(
            "ld.param.u64 %rd1, [in];\nadd.u64 %rd2, %rd1, 0;\ncp.async.ca.shared.global [tile], [%rd2], 4;\n\
             cp.async.commit_group;\n{wait};\nld.shared.u32 %r1, [tile];"
        );
        module("//! thread f @ cta 0\n//! init in = 3\n//! forbid f:%r1 == 0", &function("f", &body))
    };
    assert_eq!(answers(&copy("cp.async.wait_group 0")), [""; 0]);
    assert_eq!(answers(&copy("cp.async.wait_all")), [""; 0]);
    let early = answers(&copy("cp.async.wait_group 1"));
    assert!(early.len() == 1 && early[0].contains("allowed by the memory model: f:%r1 = 0"), "{early:?}");
}

/// A thread that waits for bytes at its mbarrier, and one in another CTA of its cluster that sends them.
fn remote(wait: &str, send: &str) -> String {
    let init = if send.contains("[out]") { "//! init out = 9\n" } else { "" };
    let claims = "//! thread waiter @ cta 0, cluster 0\n//! thread sender @ cta 1, cluster 0\n//! init full = 1048577\n\
                  INIT//! forbid waiter:%p == 1 && waiter:%r1 != 9\n//! allow waiter:%p == 1";
    let waiter = format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 4;\n{wait} %p, [full], 0;\nld.shared.u32 %r1, [tile];"
    );
    let sender = format!(
        "mov.b32 %r1, tile;\nmov.b32 %r2, full;\nmapa.shared::cluster.u32 %r1_there, %r1, 0;\n\
         mapa.shared::cluster.u32 %r2_there, %r2, 0;\n{send}"
    );
    let sender = sender.replace("%r1_there", "%r3").replace("%r2_there", "%r0");
    let claims = claims.replace("INIT", init);
    module(&claims, &(function("waiter", &waiter) + &function("sender", &sender)))
}

#[test]
fn stores_and_reductions_for_another_cta_are_seen_behind_its_mbarrier() {
    let wait = "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64";
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    for send in [
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r3], 9, [%r0];".to_owned(),
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r3], 9, [%r0];".to_owned(),
        format!("{copy} [%r3], [out], 4, [%r0];"),
        format!("{copy}.multicast::cluster [%r1], [out], 4, [%r2], 3;"),
    ] {
        assert_eq!(answers(&remote(wait, &send)), [""; 0], "{send}");
        let relaxed = answers(&remote(&wait.replace("acquire", "relaxed"), &send));
        assert_eq!(relaxed.len(), 1, "{send}: {relaxed:?}");
    }
    let elsewhere = answers(&remote(wait, &format!("{copy}.multicast::cluster [%r1], [out], 4, [%r2], 2;")));
    assert_eq!(elsewhere, ["allowed outcome is forbidden by the memory model"]);
}

#[test]
fn ranks_are_those_of_the_cluster() {
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
    let with = |mask: u32, size: &str| {
        let text = remote(
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64",
            &format!("{copy} [%r1], [out], 4, [%r2], {mask};"),
        );
        let (before, sender) = text.split_at(text.rfind("sender(").expect("the function"));
        answers(&(before.to_owned() + &sender.replacen(")", &format!("){size}"), 1)))
    };
    assert_eq!(with(3, ""), [""; 0]);
    assert_eq!(with(3, " .reqnctapercluster 2"), [""; 0]);
    assert_eq!(with(7, " .reqnctapercluster 2"), ["rank 2 in a cluster of 2 CTAs"]);
    assert_eq!(with(1 << 16, ""), ["rank 16 in a cluster of 16 CTAs"]);
}

#[test]
fn a_bulk_reduction_is_an_atomic_of_the_async_proxy() {
    let body = "st.shared.u32 [tile], 5;\nfence.proxy.async;\n\
                cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [out], [tile], 16;\n\
                cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nld.global.u32 %r2, [out];";
    let claims = "//! thread f @ cta 0\n//! init out = 2\n//! forbid f:%r2 != 7";
    assert_eq!(answers(&module(claims, &function("f", body))), [""; 0]);
}

#[test]
fn an_earlier_kernel_is_waited_for() {
    let claims = "//! thread earlier @ cta 0\n//! thread later @ cta 1\n//! forbid later:%r1 == 0";
    let earlier = function("earlier", "st.global.u32 [out], 1;\ngriddepcontrol.launch_dependents;");
    let later = |wait: &str| function("later", &format!("{wait}ld.global.u32 %r1, [out];"));
    assert_eq!(answers(&module(claims, &(earlier.clone() + &later("griddepcontrol.wait;\n")))), [""; 0]);
    assert_eq!(answers(&module(claims, &(earlier + &later("")))).len(), 1);
}

#[test]
fn executions_that_do_not_end_can_be_forbidden() {
    let spin = |claim: &str, store: &str, awaited: u32| {
        let claims = format!("//! thread setter @ cta 0\n//! thread spinner @ cta 1\n//! {claim} endless");
        let setter = function("setter", &format!("{store} [out], 1;\n{store} [out], 2;"));
        let body = format!("L: ld.relaxed.gpu.global.u32 %r1, [out];\nsetp.ne.u32 %p, %r1, {awaited};\n@%p bra L;");
        answers(&module(&claims, &(setter + &function("spinner", &body))))
    };
    let strong = "st.relaxed.gpu.global.u32";
    assert_eq!(spin("forbid", strong, 2), [""; 0]);
    assert_eq!(spin("allow", strong, 1), [""; 0]);
    assert_eq!(spin("allow", strong, 2), ["every fair execution ends"]);
    let overwritten = spin("forbid", strong, 1);
    assert!(
        overwritten.len() == 1 && overwritten[0].starts_with("forbidden endless execution is allowed"),
        "{overwritten:?}"
    );
    let weak = spin("forbid", "st.global.u32", 2);
    assert!(weak.len() == 1 && weak[0].starts_with("not every execution is guaranteed to end"), "{weak:?}");
}

#[test]
fn what_is_not_known_is_an_error() {
    let undecided = |body: &str| answers(&module("//! thread f @ cta 0\n//! forbid f:%r1 == 1", &function("f", body)));
    let load = "ld.shared.u32 %r1, [tile];";
    assert_eq!(
        undecided(&format!("ld.global.u32 %rd1, [out];\ncp.async.ca.shared.global [tile], [%rd1], 4;\n{load}")),
        ["address of an asynchronous operation is not constant"]
    );
    assert_eq!(
        undecided(&format!("st.global.u16 [out+8], 1;\ncp.async.ca.shared.global [tile], [out+8], 4;\n{load}")),
        ["source and destination are accessed in different sizes"]
    );
    assert_eq!(
        undecided(&format!(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [tile], %r3, [full];\n{load}"
        )),
        [""; 0]
    );
    assert_eq!(
        undecided(&format!(
            "ld.global.u32 %r3, [out];\n\
             st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [tile], %r3, [full];\n{load}"
        )),
        ["value of an asynchronous operation is not constant"]
    );
    for unsupported in
        ["wgmma.mma_async.sp.sync.aligned", "tcgen05.shift.cta_group::1.down", "cp.async.bulk.wait_group.foo 0"]
    {
        let name = unsupported.split(' ').next().unwrap_or_default();
        let message = format!("`{name}` is not supported in litmus tests");
        assert_eq!(undecided(&format!("mov.u32 %r1, 0;\n{unsupported};")), [message]);
    }
    assert_eq!(undecided("mov.u32 %r1, 0;\nfabric.fence;"), ["`fabric.fence` is not supported in litmus tests"]);
}
