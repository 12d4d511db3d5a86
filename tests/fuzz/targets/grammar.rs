//! The grammar of PTX, and the typed views of its tree.

use super::text;
use isa::Module;
use isa::target::{Target, Version};
use syntax::{LintFile, SourceFile, WalkEvent, syntax_errors, walk};

/// Parses, looks at every instruction, and compares with the shortcut of the linter.
pub fn run(bytes: &[u8]) {
    let text = text(bytes);
    let file = SourceFile::parse(&text);
    assert_eq!(file.text().to_string(), text);
    let errors = syntax_errors(&file);
    assert!(errors.iter().all(|error| error.range.end <= text.len() && text.is_char_boundary(error.range.start)));
    assert!(errors.is_sorted_by_key(|error| error.range.start), "{errors:?}");
    let seen = instructions(&file);
    assert!(seen.iter().all(|instruction| text.get(instruction.range.clone()).is_some()));

    let lint_parsed = LintFile::parse(&text);
    assert_eq!(syntax_errors(&lint_parsed), errors, "the shortcut sees the same errors");
    assert_eq!(instructions(&lint_parsed), seen, "the shortcut sees the same instructions");
    for end in [0, text.len() / 2, text.len()] {
        let around = file.around(end..end);
        assert_eq!(around.last(), Some(&(0..text.len())));
    }
}

/// What can be seen of an instruction.
#[derive(Debug, PartialEq)]
struct Seen {
    range: std::ops::Range<usize>,
    words: Vec<String>,
    operands: usize,
}

fn instructions(file: &LintFile) -> Vec<Seen> {
    let mut seen = Vec::new();
    let module = Module { version: Some(Version::NEWEST), target: Target::parse("sm_90a") };
    walk(file, |event| {
        let WalkEvent::Instruction(instruction) = event else { return };
        let opcode = instruction.opcode();
        let words: Vec<String> = opcode.words().into_iter().map(str::to_owned).collect();
        let operands = instruction.operands();
        for operand in &operands {
            operand.address();
            operand.lanes();
        }
        let modifiers: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let mnemonic = words.first().map_or("", String::as_str);
        if let isa::Resolution::Legal(legal) = isa::resolve(&isa::Spelling { mnemonic, modifiers: &modifiers }, &module)
        {
            isa::lowering::everywhere(&legal, isa::lowering::ResultUse::Used);
        }
        seen.push(Seen { range: instruction.range(), operands: operands.len(), words });
    });
    seen
}
