//! `fence.sc`: all have an order, which is explored only where it matters.

use crate::{run_in, scratch};
use serde_json::Value;
use std::fs;

/// Each thread writes a part; the last CTA to count reads all of them. A thread that reads and the one that counts are not the same, so that only the
/// order of the fences makes what the others wrote visible: CUDA's `__threadfence()` around `atomicInc`.
const LAST_CTA: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 parts, .param .u64 count, .param .u64 out) {
  .reg .b64 %parts, %count, %out, %at;
  .reg .b32 %thread, %cta, %ctas, %threads, %last, %number, %value, %sum;
  .reg .pred %p;
  .shared .b32 is_last;
  ld.param.u64 %parts, [parts];
  ld.param.u64 %count, [count];
  ld.param.u64 %out, [out];
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %cta, %ctaid.x;
  mov.u32 %ctas, %nctaid.x;
  mad.lo.u32 %number, %cta, %threads, %thread;
  mad.wide.u32 %at, %number, 4, %parts;
  st.global.u32 [%at], %number;
  fence.sc.gpu; // before
  bar.sync 0; // counted
  setp.ne.u32 %p, %thread, 0;
  @%p bra COUNTED;
  sub.u32 %last, %ctas, 1;
  atom.global.inc.u32 %number, [%count], %last;
  setp.eq.u32 %p, %number, %last;
  selp.u32 %value, 1, 0, %p;
  st.shared.u32 [is_last], %value;
COUNTED:
  bar.sync 0;
  ld.shared.u32 %value, [is_last];
  setp.eq.u32 %p, %value, 0;
  @%p ret;
  fence.sc.gpu; // after
  mov.u32 %sum, 0;
  mad.wide.u32 %at, %thread, 4, %parts;
SUM:
  ld.global.u32 %value, [%at];
  add.u32 %sum, %sum, %value;
  mad.wide.u32 %at, %threads, 4, %at;
  sub.u32 %ctas, %ctas, 1;
  setp.ne.u32 %p, %ctas, 0;
  @%p bra SUM;
  mad.wide.u32 %at, %thread, 4, %out;
  st.global.u32 [%at], %sum;
  ret;
}
";

const ARGUMENTS: [&str; 6] = ["--arg", "0=u32[8]", "--arg", "1=u32[1]", "--arg", "2=u32[2]"];

fn checked(folder: &std::path::Path, name: &str, grid: &[&str], more: &[&str]) -> Value {
    let asked = [&["check", name, "--format", "json"], grid, more].concat();
    let checked = run_in(folder, &asked, b"");
    serde_json::from_str(&checked.stdout).unwrap_or_else(|_| panic!("{name}: {}{}", checked.stdout, checked.stderr))
}

fn without(text: &str, comment: &str) -> String {
    let kept: Vec<&str> = text.lines().filter(|line| !line.ends_with(comment)).collect();
    assert_eq!(kept.len() + 1, text.lines().count(), "{comment}");
    kept.join("\n") + "\n"
}

#[test]
fn fences_whose_order_does_not_matter_are_no_steps() {
    let folder = scratch("fence_orders");
    fs::write(folder.join("last.ptx"), LAST_CTA).expect("written");
    let found = checked(&folder, "last.ptx", &["--grid", "4", "--block", "2", "--max-states", "1000"], &ARGUMENTS);
    assert_eq!((&found["verdict"], &found["complete"]), (&"proved".into(), &true.into()), "{found}");
    for comment in ["// before", "// counted", "// after"] {
        fs::write(folder.join("weak.ptx"), without(LAST_CTA, comment)).expect("written");
        let found = checked(&folder, "weak.ptx", &["--grid", "4", "--block", "2", "--max-states", "1000"], &ARGUMENTS);
        assert_eq!(found["verdict"], "refuted", "without {comment}: {found}");
        assert_eq!(found["problems"][0]["code"], "data-race", "without {comment}: {found}");
    }
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_run_knows_what_the_order_of_fences_implies_for_other_threads() {
    let folder = scratch("fence_orders_run");
    fs::write(folder.join("last.ptx"), LAST_CTA).expect("written");
    fs::write(folder.join("weak.ptx"), without(LAST_CTA, "// after")).expect("written");
    for (name, code) in [("last.ptx", 0), ("weak.ptx", 1)] {
        for seed in ["1", "2", "3"] {
            let launch = ["run", name, "--grid", "4", "--block", "2", "--seed", seed];
            let ran = run_in(&folder, &[&launch, ARGUMENTS.as_slice()].concat(), b"");
            assert_eq!(ran.code, code, "{name}: {}{}", ran.stdout, ran.stderr);
        }
    }
    fs::remove_dir_all(folder).expect("removed");
}

/// Each of two threads writes its own location and then reads that of the other one.
const STORE_BUFFERING: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out) {
  .reg .b64 %x, %out, %at;
  .reg .b32 %cta, %value;
  ld.param.u64 %x, [x];
  ld.param.u64 %out, [out];
  mov.u32 %cta, %ctaid.x;
  mad.wide.u32 %at, %cta, 4, %x;
  st.relaxed.gpu.global.u32 [%at], 1;
  fence.sc.gpu;
  xor.b32 %value, %cta, 1;
  mad.wide.u32 %at, %value, 4, %x;
  ld.relaxed.gpu.global.u32 %value, [%at];
  mad.wide.u32 %at, %cta, 4, %out;
  st.global.u32 [%at], %value;
  ret;
}
";

#[test]
fn fences_whose_order_matters_are_explored_in_all_orders() {
    let folder = scratch("fence_orders_matter");
    let claim = ["--arg", "x=u32[2]", "--arg", "out=u32[2]", "--forbid", "out[0] == 0 && out[1] == 0"];
    fs::write(folder.join("sc.ptx"), STORE_BUFFERING).expect("written");
    let acquired = STORE_BUFFERING.replace("fence.sc.gpu", "fence.acq_rel.gpu");
    fs::write(folder.join("acq_rel.ptx"), acquired).expect("written");
    let found = checked(&folder, "sc.ptx", &["--grid", "2"], &claim);
    assert_eq!((&found["verdict"], &found["complete"]), (&"proved".into(), &true.into()), "{found}");
    let found = checked(&folder, "acq_rel.ptx", &["--grid", "2"], &claim);
    assert_eq!(found["verdict"], "refuted", "{found}");
    fs::remove_dir_all(folder).expect("removed");
}
