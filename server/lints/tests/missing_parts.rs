//! Fixes for instructions from which a part is missing: each leaves an instruction without an error.

mod fixes;

use fixes::{applied, check};

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 tile[4096];\n.entry k() { .reg .pred %p<3>; .reg .b32 %r<9>;\n";

/// The title of the fixes for one wrong instruction, each with the instruction after it.
fn fixes(instruction: &str) -> Vec<(String, String)> {
    let text = format!("{HEAD}{instruction}\n}}\n");
    let found = check(&text);
    let [error] = &found[..] else { panic!("{found:?}") };
    error.fixes.iter().map(|fix| applied(HEAD, &text, fix)).collect()
}

#[test]
fn what_is_missing_is_offered() {
    let mask = "Add `.sync` and the member mask `0xffffffff`: all lanes";
    for (wrong, title, fixed) in [
        ("shfl.bfly.b32 %r1, %r2, 1, 31;", mask, "shfl.sync.bfly.b32 %r1, %r2, 1, 31, 0xffffffff;"),
        ("vote.all.pred %p1, %p2;", mask, "vote.sync.all.pred %p1, %p2, 0xffffffff;"),
        (
            "shfl.sync.bfly.b32 %r1, %r2, 1, 31;",
            "Add the member mask `0xffffffff`: all lanes",
            "shfl.sync.bfly.b32 %r1, %r2, 1, 31, 0xffffffff;",
        ),
        ("add.u32 %r1, %r2;", "Insert `%r1` as the first source", "add.u32 %r1, %r1, %r2;"),
        (
            "mma.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r1, %r2, %r3, %r4};",
            "Add `.sync` and `.aligned`",
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r1, %r2, %r3, %r4};",
        ),
        ("add.u32 %r1, %r2, %r3, %r4;", "Remove the extra operand", "add.u32 %r1, %r2, %r3;"),
    ] {
        assert_eq!(fixes(wrong), [(title.to_owned(), fixed.to_owned())], "{wrong}");
    }
}

#[test]
fn nothing_is_offered_where_the_operand_cannot_be_known() {
    for wrong in ["mad.lo.u32 %r1, %r2, %r3;", "add.u32 %r1;", "setp.eq.u32 %p1, %r2;", "shl.b32 %r1;"] {
        assert_eq!(fixes(wrong), [], "{wrong}");
    }
}
