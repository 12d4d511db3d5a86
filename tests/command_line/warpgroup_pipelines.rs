//! Warpgroups that multiply tiles which a thread loads, in `check`: one thread hands a stage back for all four warps.

use crate::{Run, run_in};
use std::fs;

/// A kernel of `tests/evidence/verification/specialised.ptx`, with the options of its launch.
fn kernel(name: &str) -> (String, Vec<String>) {
    let path = support::evidence("verification").join("specialised.ptx");
    let text = fs::read_to_string(path).expect("evidence");
    let launch = format!("// check {name}: ");
    let options = text.lines().find_map(|line| line.strip_prefix(&launch)).expect("its launch");
    let options = options.split_whitespace().map(str::to_owned).collect();
    let begin = text.find(&format!(".visible .entry {name}(")).expect("the kernel");
    let end = begin + text[begin..].find("\n}\n").expect("its end") + 3;
    (format!(".version 8.6\n.target sm_90a\n.address_size 64\n{}", &text[begin..end]), options)
}

fn check(text: &str, options: &[String]) -> Run {
    let options: Vec<&str> = ["check", "-"].into_iter().chain(options.iter().map(String::as_str)).collect();
    run_in(&support::root(), &options, text.as_bytes())
}

#[test]
fn one_thread_hands_a_stage_back_for_its_warpgroup() {
    let (two_tiles, options) = kernel("promotion");
    // The stage is used three times.
    let in_turn = two_tiles
        .replace("setp.lt.u32 p, i, 2;", "setp.lt.u32 p, i, 3;")
        .replace("[full], i; //+", "[full], ph; //+")
        .replace("FULL:\n", "FULL:\n\tand.b32 ph, i, 1;\n");
    let three_tiles = options.iter().map(|option| option.replace("u16[2304]", "u16[3456]")).collect::<Vec<_>>();
    for (text, options) in [(&two_tiles, &options), (&in_turn, &three_tiles)] {
        let run = check(text, options);
        assert!(run.stdout.starts_with("proved") && run.code == 0, "{}{}", run.stdout, run.stderr);
        for (line, changed, problem) in [
            ("wgmma.wait_group.sync.aligned 0;", "", "data-race"),
            ("wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;", "data-race"),
            ("wgmma.commit_group.sync.aligned;", "", "data-race"),
            ("@!p mbarrier.arrive.shared::cta.b64 _, [empty];", "", "deadlock"),
            ("@!p mbarrier.arrive.shared", "@!p mbarrier.arrive.relaxed.cta.shared", "data-race"),
        ] {
            assert!(text.contains(line), "{line}");
            let run = check(&text.replacen(line, changed, 1), options);
            let problem = format!("error[{problem}]");
            assert!(run.stdout.contains(&problem) && run.code == 1, "{line}: {}{}", run.stdout, run.stderr);
        }
    }
}

/// A warp that multiplies alone, which no GPU does but a reduced kernel may, waits for its own products.
#[test]
fn a_warp_that_multiplies_alone_waits_for_itself() {
    let (text, options) = kernel("promotion");
    let alone = text
        .replace("FULL:\n", "\tsetp.gt.u32 p, t, 31;\n\t@p bra DONE;\nFULL:\n")
        .replace("\t// The tile is free", "DONE:\n\t// The tile is free");
    let run = check(&alone, &options);
    assert!(run.stdout.starts_with("proved"), "{}{}", run.stdout, run.stderr);
    let run = check(&alone.replace("wgmma.wait_group.sync.aligned 0;", ""), &options);
    assert!(run.stdout.contains("error[data-race]"), "{}{}", run.stdout, run.stderr);
}
