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
