//! `eval`, as printed.

use crate::run;

#[test]
fn an_addition_prints_memory_and_destination() {
    let run = run(&["eval", "atom.global.add.u32", "--mem", "0x5", "--b", "0x3"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, "memory       0x00000008  8\ndestination  0x00000005  5\n");
}

#[test]
fn red_has_no_destination_and_a_whole_line_of_code_is_understood() {
    let run = run(&["eval", "@%p1 red.shared.max.s32 [%rd1], %r1;", "--mem", "-5", "--b", "3"]);
    let note = "note: guard is assumed to be true: %p1 is not given\n";
    assert_eq!((run.code, run.stdout), (0, format!("memory       0x00000003  3\n{note}")), "{}", run.stderr);
}

#[test]
fn flushing_depends_on_the_space_and_has_a_note() {
    let eval = |space| run(&["eval", "red.add.f32", "--mem", "0f00000001", "--b", "0.0", "--space", space]).stdout;
    assert!(eval("global").starts_with("memory       0x00000000"), "{}", eval("global"));
    assert!(eval("global").contains("flush"), "{}", eval("global"));
    assert!(eval("shared").starts_with("memory       0x00000001"), "{}", eval("shared"));
}

#[test]
fn a_failed_cas_leaves_memory_alone() {
    let run = run(&["eval", "atom.cas.b32", "--mem", "1", "--b", "2", "--c", "3"]);
    assert!(run.stdout.starts_with("memory       0x00000001"), "{}", run.stdout);
}

#[test]
fn what_is_illegal_is_refused_as_lint_would() {
    let refused = run(&["eval", "atom.global.or.u32", "--mem", "1", "--b", "2"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.contains("illegal-type") && refused.stderr.contains("`.b32`"), "{}", refused.stderr);
    let target = run(&["eval", "atom.global.add.noftz.bf16", "--mem", "1.0", "--b", "2.0", "--target", "sm_80"]);
    assert_eq!(target.code, 1);
    assert!(target.stderr.contains("requires-target"), "{}", target.stderr);
}

#[test]
fn what_cannot_be_read_is_named() {
    for (arguments, part) in [
        (&["eval", "atom.global.add.u32", "--b", "1"][..], "missing --mem"),
        (&["eval", "atom.global.add.u32", "--mem", "1"], "missing --b"),
        (&["eval", "atom.global.add.u32", "--mem", "0x1ffffffff", "--b", "1"], "--mem"),
        (&["eval", "atom.global.add.u32", "--mem", "1", "--b", "1", "--c", "1"], "--c"),
        (&["eval", "mov.u32", "--mem", "1", "--b", "1"], "cannot be evaluated"),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains(part), "{part} is missing in {}", run.stderr);
    }
}

#[test]
fn what_contradicts_the_text_or_has_no_effect_is_refused() {
    for (arguments, part) in [
        ("red.global.add.u32 [a], 3|--mem 1 --b 5", "--b 5 conflicts with 3 in the instruction"),
        ("atom.global.cas.b32 d, [a], 1, 2;|--mem 1 --c 3", "--c 3 conflicts with 2 in the instruction"),
        ("red.global.add.v2.f32 [a], {f, f};|--mem {1,1} --b {1,2}", "conflicting values of `f`"),
        ("|--mem 1", "missing instruction"),
        ("atom.global.cas.b32 d, [a], r, r;|--mem 1 --b 1 --c 2", "conflicting values of `r`"),
        ("red.global.add.u32|--mem 1 --b 1 --space shared", "--space shared conflicts with .global of the instruction"),
        ("red.shared.add.u32 [a], 3;|--mem 1 --space global", "--space global conflicts with .shared"),
        (
            "@p red.global.add.u32 [a], 3;|--mem 1 --reg q=0",
            "only the guard of a PTX instruction can be set, as in --reg p=1",
        ),
        ("@p red.global.add.u32 [a], 3;|--mem 1 --reg p=2", "write p=0 or p=1"),
        ("@p red.global.add.u32 [a], 3;|--mem 1 --reg p=0 --reg p=1", "conflicting --reg values of p"),
        ("red.global.add.u32 [a], 3;|--mem 1 --reg p=0", "--reg sets registers of SASS"),
        ("red.global.add.u32|--mem 1 --b 1 --window shared=0..1", "--window applies only to SASS"),
        ("red.global.add.u32|--mem 1 --b 1 --pixel helper", "--pixel applies only to SASS"),
        ("red.global.add.u32 [a], 3; red.global.add.u32 [a], 4;|--mem 1", "expected one instruction, found 2"),
        ("red.global.add.u32|--mem 1 --b 1 --target sm_90 --ptx-version 7.0", "sm_90 requires PTX 7.8"),
        ("red.global.add.u32|--mem 1 --b 1 --ptx-version 9.0 --toolkit 12.4", "--toolkit supports PTX up to 8.4"),
        ("RED.ADD [R0], R1|--mem 1 --b 1 --target sm_90", "--target applies only to PTX"),
        ("RED.ADD [R0], RZ|--mem 1 --b 1", "conflicts with RZ in the instruction, which is 0"),
        ("RED.ADD [R0], R1|--mem 1 --reg R0=0 --reg R1=1 --reg R9=1", "unused --reg R9"),
        ("RED.ADD [R0], R1|--mem 1 --reg R0=0 --reg R1=1 --reg R1=2", "duplicate --reg R1"),
        ("RED.ADD [R0], R1|--mem 0=1 --mem 0=2 --reg R0=0 --reg R1=1", "duplicate --mem address 0x0"),
        ("RED.ADD [R0], R1|--mem 1 --b 1 --window shared=0..1", "--window requires a known address"),
        (
            "ATOMS.ADD R0, [R1], R2|--mem 1 --b 1 --space global",
            "--space global conflicts with ATOMS, which accesses shared memory",
        ),
        ("ld.global.u32|--mem 1", "`ld.global.u32` cannot be evaluated; supported: atom, "),
    ] {
        let (instruction, options) = arguments.split_once('|').expect("options");
        let all: Vec<&str> = ["eval", instruction].into_iter().chain(options.split(' ')).collect();
        let run = run(&all);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{part} is missing in {}", run.stderr);
    }
}

#[test]
fn what_the_text_fixes_need_not_be_given_and_may_be_repeated() {
    let memory = |arguments: &[&str]| {
        let run = run(&[&["eval"], arguments].concat());
        (run.code, run.stdout.lines().next().unwrap_or(&run.stderr).to_owned())
    };
    let eight = (0, "memory       0x00000008  8".to_owned());
    assert_eq!(memory(&["red.global.add.u32 [a], 3", "--mem", "5"]), eight);
    assert_eq!(memory(&["red.global.add.u32 [a], 3;", "--mem", "5", "--b", "0x3", "--space", "global"]), eight);
    assert_eq!(
        memory(&["atom.global.cas.b32 d, [a], r, 8;", "--mem", "5", "--b", "5"]),
        (0, "memory       0x00000008  0x00000008".to_owned())
    );
    let guarded = |guard: &str, value: &str| {
        run(&["eval", &format!("{guard} atom.global.add.u32 d, [a], 3;"), "--mem", "5", "--reg", value])
    };
    assert_eq!(guarded("@p", "p=1").stdout, "memory       0x00000008  8\ndestination  0x00000005  5\n");
    assert_eq!(guarded("@p", "p=0").stdout, "memory       0x00000005  5\nnote: guard @p is false\n");
    assert_eq!(guarded("@!%p1", "%p1=1").stdout, "memory       0x00000005  5\nnote: guard @!%p1 is false\n");
}

#[test]
fn the_text_is_checked_as_lint_would() {
    for (text, code) in [
        ("red.global.add.u32 [a]", "operand-count"),
        ("red.global.add.u32 a, 1;", "operand-kind"),
        ("red.global.add.u32 [a], ][;", "syntax-error"),
    ] {
        let run = run(&["eval", text, "--mem", "1", "--b", "1"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{text}: {}", run.stderr);
        assert!(run.stderr.starts_with(&format!("error[{code}]")), "{text}: {}", run.stderr);
    }
    let several = run(&["eval", "red.global.add.noftz.bf16", "--mem", "1", "--b", "1", "--target", "sm_90,sm_80"]);
    assert!(several.code == 1 && several.stderr.contains("requires-target"), "{}", several.stderr);
}

#[test]
fn what_can_be_evaluated_is_listed_and_no_more() {
    let all = ide::evaluate::evaluated();
    let help = run(&["eval", "--help"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains(&format!("Instructions that can be evaluated: {}.", ide::evaluate::evaluated_list())),
        "{help}"
    );
    let names: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
    let index = run(&["explain"]).stdout;
    assert!(index.contains(&format!("## Computed by `eval`\n\n{}\n", names.join(", "))), "{index}");
}

/// Every legal spelling of a mnemonic, each in one order, found by accepting completions; of those with millions the first thousands.
fn spellings(mnemonic: &'static str) -> Vec<String> {
    let newest =
        isa::Module { version: Some(isa::target::Version::NEWEST), target: isa::target::Target::parse("sm_100a") };
    let (mut found, mut seen) = (Vec::new(), std::collections::HashSet::new());
    let mut todo: Vec<Vec<&'static str>> = vec![Vec::new()];
    while let Some(words) = todo.pop().filter(|_| found.len() < 30_000) {
        let candidates = isa::complete(&isa::Spelling { mnemonic, modifiers: &words }, &newest);
        for candidate in candidates.into_iter().filter(|candidate| candidate.requires.is_none()) {
            let longer: Vec<_> = words.iter().copied().chain([candidate.word]).collect();
            let mut set = longer.clone();
            set.sort_unstable();
            if seen.insert(set) {
                if candidate.finishes {
                    found.push(format!("{mnemonic}.{}", longer.join(".")));
                }
                todo.push(longer);
            }
        }
    }
    found
}

#[test]
fn each_form_of_what_is_listed_can_be_evaluated_and_no_form_of_anything_else() {
    let all = ide::evaluate::evaluated();
    let newest =
        isa::Module { version: Some(isa::target::Version::NEWEST), target: isa::target::Target::parse("sm_100a") };
    let mut tried = std::collections::BTreeMap::<&str, usize>::new();
    for opcode in isa::mnemonics().flat_map(spellings) {
        let words: Vec<&str> = opcode.split('.').collect();
        let spelling = isa::Spelling { mnemonic: words[0], modifiers: &words[1..] };
        let isa::Resolution::Legal(instruction) = isa::resolve(&spelling, &newest) else { panic!("{opcode}") };
        let name = instruction.family.name;
        let computed = values::Computation::of(&instruction, values::AccessedSpace::Global);
        assert_eq!(computed.is_ok(), all.contains(&name), "{opcode}: {computed:?}");
        *tried.entry(name).or_default() += 1;
    }
    let untried: Vec<&str> = all.iter().filter(|name| name.chars().any(char::is_lowercase)).copied().collect();
    assert!(untried.iter().all(|name| tried.get(name).is_some_and(|count| *count > 100)), "{tried:?}");
}

#[test]
fn each_operation_of_sass_can_be_evaluated_or_is_listed_as_missing() {
    let listed = ide::evaluate::evaluated_list();
    let mut tried = 0;
    for family in isa::sass::families() {
        let entry = listed
            .split("), ")
            .flat_map(|part| part.split(", "))
            .find(|part| part.split(' ').next() == Some(family.name));
        let missing =
            listed.split_once(&format!(" {} (but not ", family.name)).and_then(|(_, rest)| rest.split_once(')'));
        let missing: Vec<&str> = missing.map_or(Vec::new(), |(missing, _)| missing.split(", ").collect());
        for row in &family.rows {
            for (op, size) in row.ops.iter().flat_map(|op| row.sizes.iter().map(move |size| (op, size))) {
                let extended = if family.extended == isa::sass::ExtendedAddress::Always { ".E" } else { "" };
                let size = if size.name.is_empty() { String::new() } else { format!(".{}", size.name) };
                let scope = if family.scoped { ".STRONG.GPU" } else { "" };
                let opcode = format!("{}{extended}.{op}{size}{scope}", family.name);
                let request = evaluation::Request { instruction: &opcode, ..Default::default() };
                let refusal = ide::evaluate::evaluate(&request).expect_err("no values are given");
                let evaluation::EvaluationError::Invalid(reason) = refusal else { panic!("{opcode}: {refusal:?}") };
                let refused = reason.contains("cannot be evaluated");
                assert_eq!(refused, entry.is_none() || missing.contains(op), "{opcode}: {reason}");
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
    for name in ["ATOM", "ATOMS"] {
        assert!(listed.contains(&format!("{name} (but not ")), "{listed}");
    }
    let refused = run(&["eval", "ATOMS.CAST.SPIN", "--mem", "1", "--b", "1", "--c", "1"]);
    assert!(refused.code == 2 && refused.stderr.contains(&listed), "{}", refused.stderr);
}

#[test]
fn step_by_step() {
    let explained = run(&["eval", "atom.global.inc.u32", "--mem", "7", "--b", "7", "--explain"]);
    assert_eq!(
        explained.stdout,
        " 1. memory holds 0x00000007 (7)\n 2. b, the bound, is 0x00000007 (7)\n \
         3. 7 has reached the bound 7: inc wraps to 0\n 4. memory now holds 0x00000000 (0)\n \
         5. the destination receives 0x00000007 (7)\n"
    );
    let red = run(&["eval", "red.global.add.u32", "--mem", "7", "--b", "7", "--explain"]);
    assert!(red.code == 0 && !red.stdout.contains("destination"), "{}", red.stdout);
    let refused = run(&["eval", "red.global.or.u32", "--mem", "7", "--b", "7", "--explain"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
}

#[test]
fn replicas_are_reduced_in_the_order_given() {
    let reduce = |opcode, replicas: [&str; 3]| {
        let [first, second, third] = replicas;
        run(&["eval", opcode, "--mem", first, "--mem", second, "--mem", third, "--target", "sm_100a"])
    };
    // f16 has no 2049: added to 2048 each 1 is lost, the two of them are not.
    let sum = "multimem.ld_reduce.global.add.f16x2";
    let ends = |run: crate::Run| {
        let line = run.stdout.lines().find(|line| line.starts_with("destination"));
        line.unwrap_or(&run.stderr).to_owned()
    };
    let (large, small) = ("{2048, 1}", "{1, 1}");
    assert_eq!(ends(reduce(sum, [large, small, small])), "destination  0x42006800  {2048.0, 3.0}");
    assert_eq!(ends(reduce(sum, [small, small, large])), "destination  0x42006801  {2050.0, 3.0}");
    let wide = "multimem.ld_reduce.global.add.acc::f32.f16x2";
    assert_eq!(ends(reduce(wide, [large, small, small])), "destination  0x42006801  {2050.0, 3.0}");
    let said = reduce(sum, [large, small, small]).stdout;
    assert!(said.contains("reduced in the given order") && said.contains("not measured"), "{said}");
    let red = run(&["eval", "multimem.red.global.add.u32", "--mem", "1", "--mem", "2", "--b", "3"]);
    assert!(red.stdout.starts_with("memory 0     0x00000004  4\nmemory 1     0x00000005  5\n"), "{}", red.stdout);
    let store = run(&["eval", "multimem.st.global.b32", "--mem", "1", "--mem", "2", "--b", "3", "--explain"]);
    assert!(store.stdout.contains("replica 1 changes from 0x00000002 to 0x00000003"), "{}", store.stdout);
    let steps = run(&["eval", sum, "--mem", "{1.5, 0}", "--mem", "{2, 0}", "--explain"]);
    assert!(steps.stdout.contains("after replica 1 ({2.0, 0.0}): 0x00004300 ({3.5, 0.0})"), "{}", steps.stdout);
}

#[test]
fn vectors_and_multimem_are_of_global_memory() {
    for opcode in ["red.add.v2.f32", "multimem.ld_reduce.global.add.v2.f32"] {
        let mut arguments = vec!["eval", opcode, "--mem", "{1, 2}", "--space", "shared"];
        if opcode.starts_with("red") {
            arguments.extend(["--b", "{1, 2}"]);
        }
        let run = run(&arguments);
        match opcode.starts_with("red") {
            true => assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr),
            // It names its space, and the option another.
            false => assert!(run.code == 2 && run.stderr.contains("--space shared"), "{}", run.stderr),
        }
    }
}

#[test]
fn every_way_to_write_a_value() {
    for (opcode, memory, b, after) in [
        ("atom.global.exch.b32", "0", "0f3F800000", "0x3f800000  0x3f800000"),
        ("red.global.add.f32", "1", "0f3F800000", "0x40000000  2.0"),
        ("red.global.add.f64", "0d3FF0000000000000", "-1e0", "0x0000000000000000  0.0"),
        ("red.global.add.s32", "-5", "0x5", "0x00000000  0"),
        ("red.global.add.u32", "0b101", "017", "0x00000014  20"),
        (
            "red.global.add.noftz.v2.f16x2",
            "{{1, 2}, 0x40003c00}",
            "{0x0, {0, 1}}",
            "0x42003c0040003c00  {{1.0, 2.0}, {1.0, 3.0}}",
        ),
        ("red.global.add.f32", "inf", "-inf", "0x7fffffff  nan"),
    ] {
        let run = run(&["eval", opcode, "--mem", memory, "--b", b]);
        assert!(run.stdout.starts_with(&format!("memory       {after}\n")), "{opcode}: {}{}", run.stdout, run.stderr);
    }
}
