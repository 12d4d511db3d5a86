//! Mistakes of the first hour with PTX: the message names the place, and the help says what to write.

use crate::lint_text;
use serde_json::Value;

/// The line, message and help of each finding in the body of a kernel. Its first line is 1.
fn findings(body: &str) -> Vec<(u64, String, String)> {
    let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{\n{body}\nret; }}\n");
    let run = lint_text(text.as_bytes());
    let found = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("one object a line"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    found.map(|one| (one["line"].as_u64().unwrap() - 4, text(&one["message"]), text(&one["help"]))).collect()
}

#[test]
fn a_declaration_without_semicolon_is_reported_at_its_end() {
    let expected = "expected `;` after the declaration".to_owned();
    for body in [".reg .b32 %r<4>\n.reg .b64 %rd<4>;", ".shared .align 16 .b8 s[16] // tile\nbar.sync 0;"] {
        let found = findings(body);
        assert_eq!(found.first(), Some(&(1, expected.clone(), String::new())), "{body}: {found:?}");
    }
}

#[test]
fn a_special_register_without_component_leads_to_its_components() {
    let declared = ".reg .b32 %r<4>;\n";
    let [(line, _, help)] = &findings(&format!("{declared}mov.u32 %r1, %tid;"))[..] else { panic!("one finding") };
    assert_eq!((*line, &**help), (2, "write one component: `%tid.x`, `%tid.y` or `%tid.z`"));
    let [(_, _, help)] = &findings(&format!("{declared}add.u32 %r1, %r2, %ntid;"))[..] else { panic!("one finding") };
    assert_eq!(help, "copy one component into a register first, with `mov.u32 r, %ntid.x;`");
}

#[test]
fn a_branch_to_a_missing_label_behind_an_asynchronous_copy_is_one_error() {
    let body = ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n.shared .align 16 .b8 tile[16];\nmov.u32 %r1, tile;\nmov.u64 %rd1, 0;\n\
        cp.async.ca.shared.global [%r1], [%rd1], 16;\nbra missing;\nhere: cp.async.wait_all;";
    let found = findings(body);
    assert_eq!(found.iter().map(|(line, ..)| *line).collect::<Vec<_>>(), [7], "{found:?}");
}

#[test]
fn a_predicate_moved_into_a_list_is_an_error_of_the_list() {
    let found = findings(".reg .pred %p;\n.reg .f32 %f<3>;\nmov.f32 {%f1, %f2}, %p;");
    assert_eq!(found.iter().map(|(line, ..)| *line).collect::<Vec<_>>(), [3], "{found:?}");
}

#[test]
fn a_store_to_a_parameter_of_the_kernel_is_an_error() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n) {\nst.param.u32 [n], 1;\nret; }\n";
    let found: Value = serde_json::from_str(lint_text(text.as_bytes()).stdout.trim()).expect("one finding");
    assert_eq!(found["message"], "cannot store to `n`, a parameter that the function only reads");
    assert_eq!(found["help"], "keep the value in a register, or in a `.local` variable");
}

#[test]
fn a_load_of_a_result_is_an_error() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.func (.param .u32 sum) f() {\n.reg .u32 %r;\n\
        ld.param.u32 %r, [sum];\nst.param.u32 [sum], %r;\nret; }\n";
    let found: Value = serde_json::from_str(lint_text(text.as_bytes()).stdout.trim()).expect("one finding");
    assert_eq!(found["message"], "cannot load from `sum`, a result that the function only writes");
    assert_eq!(found["help"], "keep the value in a register, and store it before `ret`");
}
