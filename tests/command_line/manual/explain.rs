//! Pages, and the help of commands: what somebody reads who does not know a word.

use crate::run;

#[test]
fn a_word_means_what_it_means_on_the_instruction() {
    for (topic, meaning) in [
        ("tcgen05.shift", "- `.down`: Rows move down by one."),
        ("shfl", "- `.down`: From the lane whose index is higher by `lane_or_offset`."),
        ("match", "- `.any`: The threads of the mask with the same value as this thread."),
        ("setp", "- `.and`: Both must be true: the comparison and the predicate `c`."),
        ("barrier.red", "- `.popc`: The number of threads whose predicate is true."),
        ("mma", "- `.popc`: Counts the bits that are set."),
        ("shf.l", "- `.clamp`: A shift count beyond 32 is clamped to 32."),
        ("add.f16x2", "- `.f16x2`: Two half-precision numbers packed in 32 bits.\n"),
        ("atom", "- `.f16x2`: Two half-precision numbers packed in 32 bits, each a separate access."),
        // Words of GPUs, in any case, and functions of CUDA C++.
        ("cta", "# CTA\n\nA group of up to 1024 threads"),
        ("thread block", "# CTA\n"),
        ("atomicAdd", "\natom.global.add.u32 %r1, [%rd1], 1;\n"),
        ("__syncthreads()", "\nbar.sync 0;\n"),
        ("sm_90a", "runs on no other"),
        // Instructions to copy.
        ("ld", "\nld.global.f32 %f1, [%rd1];\n"),
        ("atom.cas", "\natom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], 0, 1;\n```"),
        // A placeholder is marked, and the list of what it stands for has its name.
        ("ld", "\nld.<sem>.<scope>{.<space>}"),
        ("ld", "\n**`<cop>`: Cache operator**"),
        // What a form requires includes what its modifiers do.
        ("ld", "\n- `<sem>`: `.acquire` `.relaxed`; `<space>`, if any: "),
        ("setp", "\n- `<cmp>`: `.eq` `.ne`; `<type>`: `.b16` `.b32` `.b64` — PTX 1.0\n"),
        // Some forms of it are gone, others not.
        (".sat", "\n- on `mad`: requires PTX "),
        // Somebody who writes `.shared` may not know that it has two kinds here.
        ("cp.async.bulk.shared", "\nOnly the forms with `.shared::cluster` or `.shared::cta`.\n"),
    ] {
        let page = run(&["explain", topic]);
        assert_eq!(page.code, 0, "{topic}");
        assert!(page.stdout.contains(meaning), "{topic}: {}", page.stdout);
    }
}

#[test]
fn every_command_that_checks_lists_its_exit_codes() {
    for command in ["lint", "fmt", "eval", "litmus", "diff", "run", "check"] {
        let help = run(&[command, "--help"]).stdout;
        assert!(help.contains("Exit codes: 0 "), "{command}: {help}");
    }
}
