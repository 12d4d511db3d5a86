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

/// A kernel whose first warpgroup can multiply a tile: `a` and `b` are descriptors, `p` is thread 0, `w` its warp, `m` an mbarrier.
fn with_tile(body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 y)\n{{\n\
         .reg .pred p, q, w, z;\n.reg .b32 t, g, i, v;\n.reg .f32 d<4>;\n.reg .b64 to, yy, a, b;\n\
         .shared .align 1024 .b8 tile[4608];\n.shared .align 8 .b64 m;\n\
         ld.param.u64 to, [out];\nld.param.u64 yy, [y];\nmov.u32 t, %tid.x;\nsetp.eq.u32 p, t, 0;\nsetp.lt.u32 w, t, 32;\n\
         mov.b32 v, tile;\nshr.u32 v, v, 4;\ncvt.u64.u32 a, v;\nadd.u64 b, a, 128;\n\
         or.b64 a, a, 0x0000000800080000;\nor.b64 b, b, 0x0000000800080000;\nmov.b32 i, 0;\n{body}\nEND:\nret;\n}}\n"
    )
}

const PRODUCT: &str = "wgmma.fence.sync.aligned;\n\
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0, d1, d2, d3}, a, b, 1, 1, 1, 0, 0;\n\
    wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;";

fn check_tile(body: &str, options: &[&str]) -> Run {
    let options = options.iter().chain(&["--arg", "out=u32[2]", "--arg", "y=u32[1]"]).map(|one| (*one).to_owned());
    check(&with_tile(body), &options.collect::<Vec<_>>())
}

#[test]
fn the_end_of_products_is_not_that_of_what_threads_read_before() {
    let body = format!(
        "@p st.shared.u32 [tile], t;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.eq.u32 z, t, 40;\n\
         @z ld.shared.u32 v, [tile];\n{PRODUCT}\nSYNC\n@p st.shared.u32 [tile], t;\n@z st.global.u32 [to], v;"
    );
    let run = check_tile(&body.replace("SYNC", ""), &["--block", "128"]);
    assert!(run.stdout.contains("error[data-race]") && run.code == 1, "{}{}", run.stdout, run.stderr);
    let run = check_tile(&body.replace("SYNC", "bar.sync 0;"), &["--block", "128"]);
    assert!(run.stdout.starts_with("proved") && run.code == 0, "{}{}", run.stdout, run.stderr);
}

/// The other warp could come to its products, but waits at a barrier for the one that waits for them.
#[test]
fn a_part_of_a_warpgroup_that_multiplies_is_not_decided() {
    let turns = |inside: &str| {
        format!(
            "LOOP:\n@!w bra SKIP;\n{PRODUCT}\n{inside}\nSKIP:\nbar.sync 1, 64;\nadd.u32 i, i, 1;\nsetp.lt.u32 z, i, 1;\n@z bra LOOP;"
        )
    };
    let between_ctas = turns(
        "@!p bra SKIP;\nmov.u32 g, %ctaid.x;\nsetp.ne.u32 q, g, 0;\n@q bra ONE;\nld.relaxed.gpu.global.u32 v, [yy];\n\
         st.global.u32 [to], v;\nbra SKIP;\nONE:\nst.relaxed.gpu.global.u32 [yy], 1;",
    );
    let polled = format!(
        "@p mbarrier.init.shared::cta.b64 [m], 1;\nbar.sync 0;\nsetp.lt.u32 q, t, 64;\n@!q bra POLL;\n{}\nbra END;\nPOLL:\n\
         mbarrier.try_wait.parity.shared::cta.b64 z, [m], 0;\n@!z bra POLL;",
        turns("@p mbarrier.arrive.shared::cta.b64 _, [m];")
    );
    let claim = ["--grid", "2", "--block", "64", "--forbid", "out[0]!=0"];
    for (body, options) in [(between_ctas, &claim[..]), (polled, &["--block", "65"])] {
        let run = check_tile(&body, options);
        let reason = "warps of a warpgroup wait for products of others that do not multiply with them";
        assert!(run.stdout.contains(reason) && run.code == 3, "{body}\n{}{}", run.stdout, run.stderr);
    }
}
