//! Loops that wait sleep until what they poll has changed: they execute little, and end as they should.

use crate::{run_in, scratch};
use serde_json::Value;
use std::fs;

/// Runs a kernel in several schedules. Returns the buffer `out` and the most instructions.
fn run(name: &str, body: &str, options: &[&str]) -> (Vec<u64>, u64) {
    let folder = scratch(name);
    let module = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<8>;\n.reg .b32 %r<16>;\n\
         .reg .b64 %rd<8>;\n.shared .align 8 .b8 full[8];\n.shared .align 8 .b8 free[8];\n.shared .align 4 .b8 data[4];\n\
         ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nsetp.eq.u32 %p1, %r1, 0;\n\
         mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n{body}\nret;\n}}\n"
    );
    fs::write(folder.join("k.ptx"), module).expect("written");
    let (mut buffers, mut most) = (Vec::new(), 0);
    for seed in ["1", "2", "3", "4"] {
        let all: Vec<&str> = ["run", "k.ptx", "--seed", seed].into_iter().chain(options.iter().copied()).collect();
        let text = run_in(&folder, &all, b"").stdout;
        let count: Option<u64> =
            text.rsplit("; ").next().and_then(|end| end.split(' ').next()).and_then(|count| count.parse().ok());
        most = count.unwrap_or_else(|| panic!("no count: {text}")).max(most);
        let json: Vec<&str> = all.into_iter().chain(["--format", "json"]).collect();
        let result: Value = serde_json::from_str(&run_in(&folder, &json, b"").stdout).expect("JSON");
        assert_eq!(result["problems"], serde_json::json!([]));
        let out = result["memory"]["out"].as_array().expect("a list").iter();
        buffers.push(out.map(|one| one.as_u64().expect("a number")).collect::<Vec<u64>>());
    }
    assert!(buffers.iter().all(|one| *one == buffers[0]), "{buffers:?}");
    (buffers.swap_remove(0), most)
}

/// A thread fills a place for 255 others thirty times, which takes it 500 additions each.
#[test]
fn consumers_of_an_mbarrier_sleep() {
    let body = "@%p1 mbarrier.init.shared.b64 [full], 1;\n@%p1 mbarrier.init.shared.b64 [free], %r2;\nbar.sync 0;\n\
        mov.u32 %r3, 0;\nmov.u32 %r4, 0;\nmov.u32 %r7, 0;\n$LOOP:\n@!%p1 bra $WAIT;\nmov.u32 %r5, 0;\n\
        $WORK:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 500;\n@%p2 bra $WORK;\nst.shared.u32 [data], %r3;\n\
        mbarrier.arrive.shared.b64 %rd4, [full];\n\
        $WAIT:\nmbarrier.try_wait.parity.shared.b64 %p3, [full], %r4;\n@!%p3 bra $WAIT;\n\
        ld.shared.u32 %r6, [data];\nadd.u32 %r7, %r7, %r6;\nmbarrier.arrive.shared.b64 %rd4, [free];\n\
        $FREE:\nmbarrier.try_wait.parity.shared.b64 %p3, [free], %r4;\n@!%p3 bra $FREE;\n\
        xor.b32 %r4, %r4, 1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p4, %r3, 30;\n@%p4 bra $LOOP;\nst.global.u32 [%rd3], %r7;";
    let (out, count) = run("waits_mbarrier", body, &["--block", "256", "--arg", "out=u32[256]"]);
    assert_eq!(out, vec![435; 256]);
    assert!(count < 400_000, "{count} instructions");
}

/// Another warp writes 20,000 words that nobody polls before each flag, some of them to the same value.
#[test]
fn only_the_polled_word_wakes() {
    let write = |number: u32| {
        format!(
            "mov.u32 %r5, 0;\n$WORK{number}:\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd1+64], %r5;\nsetp.lt.u32 %p2, %r5, 20000;\n\
             @%p2 bra $WORK{number};\nst.release.gpu.global.u32 [%rd1+8], 0;\nst.release.gpu.global.u32 [%rd1+{}], 1;\n",
            4 * number
        )
    };
    // Both flags are read in each turn, and the third one stays as it is.
    let body = format!(
        "setp.eq.u32 %p3, %r1, 32;\n@%p3 bra $POLL;\n@!%p1 bra $END;\n{}{}bra $END;\n\
         $POLL:\nld.acquire.gpu.global.u32 %r6, [%rd1];\nld.acquire.gpu.global.u32 %r7, [%rd1+4];\n\
         ld.relaxed.gpu.global.u32 %r9, [%rd1+8];\nand.b32 %r8, %r6, %r7;\nor.b32 %r8, %r8, %r9;\nsetp.eq.u32 %p4, %r8, 0;\n\
         @%p4 bra $POLL;\nst.global.u32 [%rd1+12], 7;\n$END:",
        write(0),
        write(1)
    );
    let (out, count) = run("waits_flags", &body, &["--block", "64", "--arg", "out=u32[17]"]);
    assert_eq!(out[..4], [1, 1, 0, 7]);
    assert!(count < 165_000, "{count} instructions");
}

/// Locks that lanes of several warps take in turn, by an exchange and by a comparison.
#[test]
fn locks_are_taken_in_turn() {
    for (name, take) in [
        ("exchange", "atom.acquire.gpu.global.exch.b32 %r5, [%rd1+4], 1;"),
        ("comparison", "atom.acquire.gpu.global.cas.b32 %r5, [%rd1+4], 0, 1;"),
    ] {
        let body = format!(
            "$TAKE:\n{take}\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra $TAKE;\nld.global.u32 %r6, [%rd1];\nadd.u32 %r6, %r6, 1;\n\
             st.global.u32 [%rd1], %r6;\nst.release.gpu.global.u32 [%rd1+4], 0;"
        );
        let (out, _) = run(&format!("waits_{name}"), &body, &["--block", "96", "--arg", "out=u32[2]"]);
        assert_eq!(out, [96, 0]);
    }
}
