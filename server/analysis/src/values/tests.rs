use super::*;
use syntax::{Names, SourceFile, WalkEvent};

/// Builds the data flow of a function body, and evaluates a query.
fn query<T>(body: &str, evaluate: impl Fn(&FunctionValues) -> T) -> T {
    let text = format!(
        ".global .align 16 .b8 g[64];\n.shared .b32 s;\n.entry k(.param .u64 a, .param .u64 .ptr .shared .align 8 b)\n{{\n.reg .u64 x, y, z; .reg .u32 i; .reg .pred p, q;\n{body}\n}}\n"
    );
    let file = SourceFile::parse(&text);
    let items = file.module_items();
    let mut names = Names::default();
    let declared: Vec<_> = items.iter().flat_map(|item| item.declarations()).collect();
    declared.into_iter().for_each(|name| names.follow(&WalkEvent::Declare(name)));
    let function = items.last().expect("a function");
    let input = ValueInput { file: &file, item: function, scanned: None, broken: &[], earlier: &|_| Vec::new() };
    let graph = ValueGraph::build(&input, &names, OpcodeTable::default());
    evaluate(&FunctionValues::new(graph, isa::Module::default(), &Default::default(), Vec::new()))
}

/// The address of the last store.
fn stored(flow: &FunctionValues) -> Provenance {
    let store = (0..flow.len()).rev().find(|at| flow.mnemonic(*at) == "st").expect("a store");
    flow.address_provenance(flow.instruction(store)).expect("an address")
}

/// The root, offset and stride of the address of the last store.
fn origin(body: &str) -> (String, i64, u64) {
    query(body, |flow| {
        let provenance = stored(flow);
        let name = match provenance.root {
            Root::Variable(at) | Root::Parameter(at, _) => flow.declaration(at).name.text.to_string(),
            Root::Zero => "0".to_owned(),
            Root::Value(value) => format!("{:?}", value.site).chars().take_while(|c| c.is_alphabetic()).collect(),
        };
        (name, provenance.base, provenance.stride)
    })
}

#[test]
fn registers_updated_in_place_are_traced() {
    let cases = [
        ("mov.u64 x, g; add.u64 x, x, 4; add.u64 x, x, 4; st.global.u32 [x+4], i;", ("g", 12, 0)),
        ("mov.u64 x, g; st.global.u32 [x], i; mov.u64 x, s; st.global.u32 [x], i;", ("s", 0, 0)),
        ("ld.param.u64 x, [a]; cvta.to.global.u64 x, x; sub.u64 x, x, 8; st.global.u32 [x], i;", ("a", -8, 0)),
        ("mov.u64 x, g; mad.wide.u32 x, i, 4, x; st.global.u32 [x+4], i;", ("g", 4, 4)),
        ("mul.wide.u32 y, i, 4; shl.b64 y, y, 1; mov.u64 x, g; add.u64 x, x, y; st.global.u32 [x], i;", ("g", 0, 8)),
        ("mov.u64 x, 4; add.u64 x, x, x; mov.u64 y, g; add.u64 y, x, y; st.global.u32 [y], i;", ("g", 8, 0)),
        ("mov.u32 i, s; add.u32 i, i, 8; add.u32 i, i, 0xfffffffc; st.shared.u32 [i], i;", ("s", 4, 0)),
        ("mov.u64 x, g; add.u64 x, x, 0xfffffffffffffff8; st.global.u32 [x], i;", ("g", -8, 0)),
        ("ld.param.u64 x, [a]; ld.param.u64 y, [b+8]; add.u64 x, x, y; st.global.u32 [x], i;", ("Instruction", 0, 0)),
        ("mov.u64 x, g; ld.global.u64 x, [x]; st.global.u32 [x], i;", ("Instruction", 0, 0)),
    ];
    for (body, (name, base, stride)) in cases {
        assert_eq!(origin(body), (name.to_owned(), base, stride), "{body}");
    }
}

#[test]
fn a_register_of_a_range_is_that_of_the_innermost_declaration() {
    let cases = [
        ("mov.u64 r1, g; { .reg .u64 r<1>; mov.u64 r0, s; mov.u64 r2, s; st.global.u32 [r1], i; }", "g"),
        ("mov.u64 r1, g; { .reg .u64 r<2>; mov.u64 r1, s; } st.global.u32 [r1], i;", "g"),
        ("mov.u64 r1, g; { .reg .u64 r1; mov.u64 r1, s; st.global.u32 [r1], i; }", "s"),
        ("mov.u64 r1, g; { .reg .u64 r<2>; mov.u64 r1, s; st.global.u32 [r1], i; }", "s"),
        ("mov.u64 r1, g; { .reg .u64 q; mov.u64 r2, s; } st.global.u32 [r1], i;", "g"),
        ("mov.u64 r9999999, g; mov.u64 r1, s; st.global.u32 [r9999999], i;", "g"),
    ];
    for (body, root) in cases {
        assert_eq!(origin(&format!(".reg .u64 r<10000000>; {body}")).0, root, "{body}");
    }
}

#[test]
fn guards_and_merges_join_values() {
    let cases = [
        ("mov.u64 x, g; @p add.u64 x, x, 8; st.global.u32 [x], i;", ("g", 0, 8)),
        ("mov.u64 x, g; @p add.u64 x, x, 8; @p st.global.u32 [x], i;", ("g", 8, 0)),
        ("mov.u64 x, g; @p add.u64 x, x, 8; @!p st.global.u32 [x], i;", ("g", 0, 0)),
        ("mov.u64 x, g; @p add.u64 x, x, 8; mov.pred p, q; @p st.global.u32 [x], i;", ("g", 0, 8)),
        ("mov.u64 x, g; @p bra A; add.u64 x, x, 4; bra B; A: add.u64 x, x, 4; B: st.global.u32 [x], i;", ("g", 4, 0)),
        ("mov.u64 x, g; @p bra A; mov.u64 x, s; A: st.global.u32 [x], i;", ("Merge", 0, 0)),
        ("mov.u64 x, g; @p bra A; add.u64 x, x, 1; ret; A: st.global.u32 [x], i;", ("g", 0, 0)),
        ("mov.u64 x, g; A: st.global.u32 [x+4], i; add.u64 x, x, 8; @p bra A;", ("g", 4, 8)),
        (
            "mov.u64 x, g; A: add.u64 x, x, 16; mov.u64 y, x; B: add.u64 y, y, 4; st.global.u32 [y], i; @p bra B; mov.u64 x, y; @q bra A;",
            ("g", 20, 4),
        ),
        ("mov.u64 x, g; { A: @p bra A; } { A: @p bra A; } st.global.u32 [x], i;", ("g", 0, 0)),
        ("mov.u64 x, g; { .reg .u64 x; mov.u64 x, s; } st.global.u32 [x], i;", ("g", 0, 0)),
        (
            "mov.u64 x, g; ts: .branchtargets A, B; brx.idx i, ts; A: add.u64 x, x, 4; B: st.global.u32 [x], i;",
            ("g", 0, 4),
        ),
    ];
    for (body, (name, base, stride)) in cases {
        let (found, distance, multiple) = origin(body);
        let base = if multiple > 0 { base % multiple as i64 } else { base };
        let distance = if multiple > 0 { distance.rem_euclid(multiple as i64) } else { distance };
        assert_eq!((found, distance, multiple), (name.to_owned(), base, stride), "{body}");
    }
}

#[test]
fn a_pointer_attribute_sets_the_state_space() {
    let space = |body: &str| query(body, |flow| (stored(flow).space, stored(flow).generic));
    assert_eq!(space("ld.param.u64 x, [b]; st.u32 [x], i;"), (Some(PointedSpace::Shared), Some(false)));
    assert_eq!(
        space("ld.param.u64 x, [b]; cvta.shared.u64 x, x; st.u32 [x], i;"),
        (Some(PointedSpace::Shared), Some(true))
    );
    assert_eq!(space("ld.param.u64 x, [a]; st.u32 [x], i;"), (None, None));
}

#[test]
fn equal_addresses_have_the_same_anchor() {
    let same = |body: &str| {
        query(body, |flow| {
            let stores = (0..flow.len()).filter(|at| flow.mnemonic(*at) == "st");
            let provenances: Vec<_> =
                stores.map(|at| flow.address_provenance(flow.instruction(at)).expect("an address")).collect();
            provenances[0].same(&provenances[1])
        })
    };
    assert!(same("st.u32 [x+4], i; add.u64 x, x, 4; st.u32 [x], i;"));
    assert!(same("mad.wide.u32 x, i, 4, x; st.u32 [x], i; mov.u64 y, x; st.u32 [y], i;"));
    assert!(!same(
        "ld.param.u64 x, [a]; mad.wide.u32 y, i, 4, x; st.u32 [y], i; mad.wide.u32 y, i, 8, x; st.u32 [y], i;"
    ));
    assert!(!same("st.u32 [x], i; @p add.u64 x, x, 4; st.u32 [x], i;"));
    assert!(!same("st.u32 [x], i; ld.u64 x, [x]; st.u32 [x], i;"));
}

#[test]
fn results_that_are_overwritten_are_not_read() {
    let read = |body: &str| {
        query(body, |flow| {
            let value = &flow.instruction(0).values[0];
            let OperandValue::Register(register) = value else { panic!("{body}") };
            flow.is_read(*register, 0, &mut 1_000)
        })
    };
    assert!(!read("mov.u64 x, 1; mov.u64 x, 2; st.u64 [x], x;"));
    assert!(read("mov.u64 x, 1; @p mov.u64 x, 2; st.u64 [x], x;"));
    assert!(read("mov.u64 x, 1; @p bra A; mov.u64 x, 2; A: st.u64 [x], x;"));
    assert!(read("mov.u64 x, 1; add.u64 x, x, 2; mov.u64 x, 3; st.u64 [y], x;"));
}

#[test]
fn data_flow_of_long_functions_takes_linear_time() {
    // Every block branches to one end and updates a register: following each path separately would take quadratic time.
    let mut body = "mov.u64 x, g;\n".to_owned();
    for at in 0..4_000 {
        body +=
            &format!("@p bra END;\nadd.u64 x, x, 4;\n@q bra L{at};\nadd.u64 x, x, 4;\nL{at}: st.global.u32 [x], i;\n");
    }
    body += "END: st.global.u32 [x], i;\n";
    let stores = query(&body, |flow| {
        let stores = (0..flow.len()).filter(|at| flow.mnemonic(*at) == "st");
        stores.filter(|at| flow.address_provenance(flow.instruction(*at)).is_some()).count()
    });
    assert_eq!(stores, 4_001);
}
