//! `check --repair`: what it proposes for kernels that lack a fence, an order or a scope.

use crate::run_in;
use serde_json::Value;
use std::fs;

/// The changes that it proposes, without the instruction that they replace.
fn repair(text: &str, options: &[&str]) -> Vec<String> {
    let given = ["check", "-", "--repair", "--format", "json"].into_iter().chain(options.iter().copied());
    let run = run_in(&support::root(), &given.collect::<Vec<_>>(), text.as_bytes());
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr));
    assert_eq!(result["verdict"], "refuted", "{}", run.stdout);
    let changes = result["repair"].as_array().unwrap_or_else(|| panic!("no repair of {options:?}"));
    let change =
        |one: &Value| one["change"].as_str().and_then(|change| change.split('`').nth(1)).expect("code").to_owned();
    changes.iter().map(change).collect()
}

/// The launch of a kernel in a module, from the comment above it.
fn launch<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let comment = format!("// check {name}: ");
    let line = text.lines().find_map(|line| line.strip_prefix(&comment)).expect("a launch");
    line.split(' ').collect()
}

/// Kernels after public threads, without what their fix added: the same change is found, or one that does the same.
#[test]
fn mistakes_of_public_threads_are_repaired() {
    let text = fs::read_to_string(support::evidence("verification").join("threads.ptx")).expect("kernels");
    for (name, line, mistake, expected) in [
        ("DeepEP_621", "fence.proxy.async.global; //-", "", "fence.proxy.async.global"),
        ("FlashKDA_24_state", "fence.proxy.async.shared::cta; //-", "", "fence.proxy.async.shared::cta"),
        ("cutlass_2960", "fence.proxy.async.shared::cta; //-", "", "fence.proxy.async.shared::cta"),
        ("sglang_39124", "fence.proxy.async.shared::cta; //-", "", "fence.proxy.async.shared::cta"),
        (
            "DeepEP_642",
            "mbarrier.arrive.shared.b64 _, [empty];",
            "mbarrier.arrive.relaxed.cta.shared.b64 _, [empty];",
            "mbarrier.arrive.release.cta.shared.b64",
        ),
        (
            "cutlass_3643",
            "mbarrier.arrive.release.cluster.shared::cluster.b64",
            "mbarrier.arrive.release.cta.shared::cluster.b64",
            "mbarrier.arrive.release.cluster.shared::cluster.b64",
        ),
        (
            "cutlass_3643",
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64",
            "mbarrier.try_wait.parity.shared::cta.b64",
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64",
        ),
        ("flashinfer_2550", "fence.acq_rel.cluster; //-", "", "mbarrier.arrive.release.cluster.shared::cluster.b64"),
        (
            "sglang_38829",
            "barrier.cluster.arrive.release.aligned;",
            "barrier.cluster.arrive.relaxed.aligned;",
            "barrier.cluster.arrive.release.aligned",
        ),
    ] {
        let start = text.find(&format!(".entry {name}(")).expect("a kernel");
        let wrong = text[..start].to_owned() + &text[start..].replacen(line, mistake, 1);
        let options = launch(&text, name);
        let options: Vec<&str> = ["--kernel", name].into_iter().chain(options).collect();
        assert_eq!(repair(&wrong, &options), [expected], "{name}");
    }
}

/// A flag without orders, and a bulk copy of what it stands for: two orders and a proxy fence, one after the other.
#[test]
fn three_changes_are_found_one_after_the_other() {
    let text = fs::read_to_string(support::evidence("verification").join("threads.ptx")).expect("kernels");
    let name = "DeepEP_621";
    let start = text.find(&format!(".entry {name}(")).expect("a kernel");
    let end = start + text[start..].find("\n}").expect("an end");
    let kernel = text[start..end]
        .replace("fence.proxy.async.global; //-", "")
        .replace("st.release.gpu.global.u32 [f]", "st.relaxed.gpu.global.u32 [f]")
        .replace("ld.acquire.gpu.global.u32 v, [f]", "ld.relaxed.gpu.global.u32 v, [f]");
    let wrong = format!(".version 8.6\n.target sm_90a\n.address_size 64\n.visible {kernel}\n}}\n");
    let mut changes = repair(&wrong, &launch(&text, name));
    changes.sort();
    assert_eq!(changes, ["fence.proxy.async.global", "ld.acquire.gpu.global.u32", "st.release.gpu.global.u32"]);
}

/// Copies need a fence to see that an mbarrier is initialized, which no execution shows: it is not called redundant.
#[test]
fn fences_of_initialized_mbarriers_are_not_redundant() {
    for fence in ["fence.proxy.async.shared::cta;", "fence.mbarrier_init.release.cluster;"] {
        let text = format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n\
             .visible .entry k(.param .u64 x)\n{{\n\
             .reg .pred %p; .reg .b32 %r1; .reg .b64 %rd1;\n\
             .shared .align 16 .b8 t[16]; .shared .align 8 .b64 full;\nld.param.u64 %rd1, [x];\n\
             mbarrier.init.shared::cta.b64 [full], 1;\n{fence}\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16;\n\
             cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [t], [%rd1], 16, [full];\n\
             T: mbarrier.try_wait.parity.shared::cta.b64 %p, [full], 0; @!%p bra T;\n\
             ld.shared.u32 %r1, [t];\nret;\n}}\n"
        );
        let run = run_in(&support::root(), &["check", "-", "--redundant", "--arg", "x=u32[4]=iota"], text.as_bytes());
        assert!(run.stdout.starts_with("proved") && !run.stdout.contains("`fence."), "{}{}", run.stdout, run.stderr);
    }
}

/// A proxy fence that is restricted to shared memory orders no ordinary accesses to global memory.
#[test]
fn restricted_proxy_fences_do_not_order_global_memory() {
    let text = ".version 8.6\n.target sm_90a\n.address_size 64\n\
        .visible .entry k(.param .u64 x)\n{\n.reg .pred %p; .reg .b32 %r1; .reg .b64 %rd1;\n\
        .shared .align 8 .b64 bar;\nld.param.u64 %rd1, [x];\n\
        mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0;\n@!%p mbarrier.init.shared::cta.b64 [bar], 1;\n\
        bar.sync 0;\n@%p bra READ;\nst.global.u32 [%rd1], 7;\n\
        fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n\
        mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [bar];\nret;\n\
        READ: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p, [bar], 0; @!%p bra READ;\n\
        fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n\
        ld.global.u32 %r1, [%rd1];\nret;\n}\n";
    let run = run_in(&support::root(), &["check", "-", "--block", "2", "--arg", "x=u32[1]"], text.as_bytes());
    assert!(run.stdout.contains("error[data-race]"), "{}{}", run.stdout, run.stderr);
}

/// Fences that are restricted to shared memory order accesses to that alone, whichever of the two is one.
#[test]
fn restricted_fences_order_shared_memory_alone() {
    let verdict = |store: &str, release: &str, acquire: &str, load: &str| {
        let text = format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n\
             .visible .entry k(.param .u64 x, .param .u64 out)\n{{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
             .shared .align 8 .b64 bar; .shared .b32 data;\nld.param.u64 %rd1, [x]; ld.param.u64 %rd3, [out];\n\
             mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0;\n@!%p st.shared.u32 [data], 0;\n\
             @!%p mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n@%p bra READ;\n{store}\nfence.release.{release};\n\
             mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [bar];\nret;\n\
             READ: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p, [bar], 0; @!%p bra READ;\n\
             fence.acquire.{acquire};\n{load}\nst.global.u32 [%rd3], %r3;\nret;\n}}\n"
        );
        let options = ["check", "-", "--block", "2", "--arg", "x=u32[1]", "--arg", "out=u32[1]", "--expect", "out=7"];
        run_in(&support::root(), &options, text.as_bytes()).code
    };
    const RELEASE: &str = "sync_restrict::shared::cta.cluster";
    const ACQUIRE: &str = "sync_restrict::shared::cluster.cluster";
    let shared = ("st.shared.u32 [data], 7;", "ld.shared.u32 %r3, [data];");
    let strong = ("st.relaxed.cta.shared.u32 [data], 7;", "ld.relaxed.cta.shared.u32 %r3, [data];");
    let global = ("st.global.u32 [%rd1], 7;", "ld.global.u32 %r3, [%rd1];");
    let overwritten = ("ld.global.u32 %r2, [%rd1];", "st.global.u32 [%rd1], 3; mov.u32 %r3, 7;");
    for (release, acquire) in [(RELEASE, ACQUIRE), ("cluster", ACQUIRE), (RELEASE, "cluster")] {
        for ((store, load), code) in [(shared, 0), (strong, 0), (global, 1), (overwritten, 1)] {
            assert_eq!(verdict(store, release, acquire, load), code, "{store} {release} {acquire} {load}");
        }
    }
    assert_eq!(verdict(global.0, "cluster", "cluster", global.1), 0);
    // A whole release before it is not forgotten.
    assert_eq!(verdict("st.global.u32 [%rd1], 7; fence.release.cluster;", RELEASE, "cluster", global.1), 0);
}

/// Two threads that give way to each other, and nobody to end it, are one problem and no remark on schedules.
#[test]
fn deadlocks_are_not_called_schedules_too() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .visible .entry k(.param .u64 x)\n{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd1;\n\
        ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; xor.b32 %r0, %r1, 1;\n\
        L: ld.relaxed.gpu.global.u32 %r2, [%rd1+4]; setp.ne.u32 %p, %r2, 0; @%p bra E;\n\
        atom.relaxed.gpu.global.cas.b32 %r3, [%rd1], %r1, %r0; bra L;\nE: ret;\n}\n";
    let run = run_in(&support::root(), &["check", "-", "--grid", "2", "--arg", "x=u32[2]"], text.as_bytes());
    assert!(run.stdout.contains("refuted") && !run.stdout.contains("termination:"), "{}{}", run.stdout, run.stderr);
}

/// The search for a repair says how far it went: a claim that no order can make true, and a limit of time.
#[test]
fn the_search_for_a_repair_says_its_limit() {
    let text = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n\
        .reg .b64 %rd1;\nld.param.u64 %rd1, [x];\nst.relaxed.gpu.global.u32 [%rd1], 7;\nret;\n}\n";
    let options = ["check", "-", "--repair", "--arg", "x=u32[1]", "--expect", "x=8", "--format", "json"];
    let found = |more: &[&str]| -> Value {
        let options = options.iter().chain(more).copied().collect::<Vec<_>>();
        let run = run_in(&support::root(), &options, text.as_bytes());
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
    };
    let all = found(&[]);
    assert!(all["repair"].is_null() && all["repair_search"].get("limit").is_none(), "{all}");
    assert!(all["repair_search"]["tried"].as_u64().is_some_and(|tried| tried > 1), "{all}");
}

/// Two threads exchange values through shared memory without a barrier, in one warp and in two.
#[test]
fn missing_barriers_are_inserted() {
    let kernel = |index: &str, read: &str| {
        format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n\
             .shared .align 4 .b8 s[256];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\n\
             st.shared.u32 [%r4], %r1;\n{index}\n{read}\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r5;\nret;\n}}\n"
        )
    };
    let read = "xor.b32 %r2, %r2, 4;\nadd.u32 %r4, %r3, %r2;\nld.shared.u32 %r5, [%r4];";
    assert_eq!(repair(&kernel("", read), &["--block", "2", "--arg", "out=u32[2]"]), ["bar.warp.sync 0xffffffff;"]);
    let other = read.replace("xor.b32 %r2, %r2, 4", "xor.b32 %r2, %r2, 128");
    assert_eq!(repair(&kernel("", &other), &["--block", "64", "--arg", "out=u32[64]"]), ["bar.sync 0;"]);
    // Where only some threads come by, a barrier has to be before the branch.
    let some = format!("setp.gt.u32 %p, %r1, 31;\nmov.u32 %r5, 0;\n@%p bra END;\n{other}\nEND:");
    let options = ["check", "-", "--repair", "--block", "64", "--arg", "out=u32[64]"];
    let found = run_in(&support::root(), &options, kernel("", &some).as_bytes()).stdout;
    assert!(found.contains("\nrepair: ") && found.contains("`: insert `bar.sync 0;` before it\n"), "{found}");
    assert!(!found.contains("`ld.shared.u32 %r5, [%r4];`: insert"), "{found}");
}
