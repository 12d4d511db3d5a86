//! Tensor memory in functions with litmus tests in comments.

use crate::annotated_functions::{answers, function, module};
use isa::Module;
use litmus::{ClaimDiagnostic, claim_diagnostics};
use syntax::LintFile;

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
