//! CTAs have their number in messages and pictures, and their index where the grid has more than one dimension.

use crate::{run_in, scratch};
use std::fs;

const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .u64 %out;
	.reg .u32 %r;
	.reg .pred %p;
	ld.param.u64 %out, [out];
	mov.u32 %r, %ctaid.y;
	setp.eq.u32 %p, %r, 1;
	@%p bra WAIT;
	ret;
WAIT:
	ld.volatile.global.u32 %r, [%out];
	setp.eq.u32 %p, %r, 0;
	@%p bra WAIT;
	ret;
}
";

#[test]
fn the_index_of_a_cta_is_named_if_the_grid_has_several_dimensions() {
    let folder = scratch("cta_names");
    fs::write(folder.join("k.ptx"), KERNEL).expect("written");
    let ask = |command: &str, grid: &str, more: &[&str]| {
        let options = ["k.ptx", "--grid", grid, "--block", "1", "--arg", "out=u32[1]"];
        run_in(&folder, &[&[command][..], &options, more].concat(), b"").stdout
    };
    for command in ["run", "check"] {
        let found = ask(command, "2,2", &[]);
        assert!(found.contains("thread 0 of CTA 2 (0, 1) waits") && found.contains("CTA 3 (1, 1) waits"), "{found}");
        let found = ask(command, "1,2,2", &[]);
        assert!(found.contains("thread 0 of CTA 1 (0, 1, 0) waits"), "{found}");
    }
    // One dimension: the number says it all.
    let flat = KERNEL.replace("%ctaid.y", "%ctaid.x");
    fs::write(folder.join("k.ptx"), flat).expect("written");
    let found = ask("run", "2", &[]);
    assert!(found.contains("thread 0 of CTA 1 waits") && !found.contains("CTA 1 ("), "{found}");
    fs::write(folder.join("k.ptx"), KERNEL.replace("ld.volatile.global.u32 %r, [%out];", "st.global.u32 [%out], %r;"))
        .expect("written");
    ask("check", "2,2", &["--picture", "race.svg"]);
    let picture = fs::read_to_string(folder.join("race.svg")).expect("a picture");
    assert!(picture.contains("CTA 3 (1, 1)"), "{picture}");
}
