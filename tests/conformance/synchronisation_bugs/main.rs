//! Rules about synchronization find their mistakes: random kernels of common idioms are right and have no diagnostic of these rules; with one
//! mistake injected, at least nine of ten have the diagnostic of its rule at its line.

mod barriers;
mod copies;
mod mbarriers;
mod memory;
mod races;
mod signals;

use diagnostics::{Preset, Settings, Snapshot};
use lints::Check;
use std::fmt::Write;
use support::Rng;
use syntax::LintFile;

/// Whether a generated kernel has the mistake. Its line ends with [`MISTAKE`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// No mistake.
    Right,
    /// One mistake.
    Wrong,
}

/// The comment after the line of a mistake.
pub const MISTAKE: &str = "// mistake";

/// Writes the body of a kernel.
type Generator = fn(&mut Rng, Variant) -> String;

/// The generators, each with the rule of its mistake.
const GENERATORS: &[(&str, Generator)] = &[
    ("divergent-barrier", barriers::divergent),
    ("maybe-divergent-barrier", barriers::bounded),
    ("uncommitted-async", copies::unfinished),
    ("mbarrier-protocol", mbarriers::protocol),
    ("missing-proxy-fence", memory::proxies),
    ("unfenced-mbarrier", memory::initialization),
    ("nc-of-written", memory::caches),
    ("early-access-before-griddepcontrol", memory::dependencies),
    ("poll-without-acquire", signals::waits),
    ("unacquired-flag", signals::flags),
    ("signal-without-release", signals::signals),
    ("unreleased-flag", signals::messages),
    ("cluster-scope", signals::clusters),
    ("partial-arrival", signals::elected),
    ("racing-access", races::accesses),
    ("warp-lock", signals::locks),
    ("system-scope", signals::systems),
];

/// The kernels per rule.
const KERNELS: usize = 60;

/// A module with one kernel.
fn module(body: &str) -> String {
    let target = if body.contains("wgmma") { "sm_90a" } else { "sm_100a" };
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.extern .shared .align 128 .b8 dynamic[];\n\
         .shared .align 8 .b64 bars[8];\n.shared .align 128 .b8 tile[8192];\n\
         .visible .entry kernel(.param .u64 input, .param .u64 output, .param .u32 count, .param .align 64 .b8 map[128])\n{{\n\
         .reg .pred %p<64>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n.reg .f32 %f<64>;\n\
         ld.param.u64 %rd1, [input];\nld.param.u64 %rd2, [output];\nld.param.u32 %r1, [count];\nmov.u32 %r2, %tid.x;\n\
         cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\nmov.u32 %r3, tile;\nmov.u32 %r4, bars;\nmov.b64 %rd5, map;\n\
         {body}st.global.b32 [%rd2], %r2;\nret;\n}}\n"
    )
}

/// The lines and codes of the diagnostics of errors and of these rules.
fn diagnostics(text: &str) -> Vec<(usize, String)> {
    let settings = Settings { preset: Some(Preset::Strict), ..Settings::default() };
    let snapshot = Snapshot::new(LintFile::parse(text), settings);
    let found = snapshot.diagnostics();
    let relevant = found.iter().filter(|diagnostic| {
        GENERATORS.iter().any(|(code, _)| *code == diagnostic.code())
            || diagnostic.severity == diagnostics::Severity::Error
    });
    relevant
        .map(|diagnostic| (snapshot.file.position(diagnostic.range.start).line + 1, diagnostic.code().to_owned()))
        .collect()
}

#[test]
fn right_kernels_are_accepted_and_nine_of_ten_mistakes_are_found() {
    let mut failures = String::new();
    for (code, generate) in GENERATORS {
        let mut missed = Vec::new();
        for seed in 0..KERNELS as u64 {
            let right = module(&generate(&mut Rng::with_seed(seed), Variant::Right));
            let found = diagnostics(&right);
            if !found.is_empty() {
                let _ = writeln!(failures, "{code}, seed {seed}: a right kernel has {found:?}\n{right}");
            }
            let wrong = module(&generate(&mut Rng::with_seed(seed), Variant::Wrong));
            let line = wrong.lines().position(|line| line.ends_with(MISTAKE)).expect("a mistake") + 1;
            if !diagnostics(&wrong).contains(&(line, (*code).to_owned())) {
                missed.push((seed, wrong));
            }
        }
        println!("{code}: {} of {KERNELS}", KERNELS - missed.len());
        if missed.len() * 10 > KERNELS {
            let _ =
                writeln!(failures, "{code}: missed {}, such as seed {}:\n{}", missed.len(), missed[0].0, missed[0].1);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
