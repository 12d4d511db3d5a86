//! The lines of the source that a module was generated from, by its `.loc` directives, both ways.

use diagnostics::Snapshot;
use std::ops::Range;
use syntax::{LintFile, SourceLocation, line_directives};

/// Where code was generated from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedCode {
    /// The opcode of the instruction, or the `.loc` directive.
    pub range: Range<usize>,
    /// The place in the source.
    pub source: Box<SourceLocation>,
}

/// Follows `.loc` directives.
pub trait SourceLineProvider {
    /// Where the instruction or the `.loc` directive at an offset comes from.
    fn generated_from(&self, _offset: usize) -> Option<GeneratedCode> {
        None
    }

    /// The PTX of a line, counted from 1, of a source whose path `is_source` knows: a range for each run of instructions.
    fn generated_by(&self, _is_source: &dyn Fn(&str) -> bool, _line: u64) -> Vec<Range<usize>> {
        Vec::new()
    }
}

impl SourceLineProvider for Snapshot {
    fn generated_from(&self, offset: usize) -> Option<GeneratedCode> {
        let file = &self.file;
        let offset = file.clamp(offset);
        let (range, behind) = directive_at(file, offset).or_else(|| {
            let opcode = file.instruction_at(offset)?.opcode().range;
            Some((opcode.clone(), opcode.start))
        })?;
        let source = file.source_locations(&file.module_items(), &[behind]).pop()??;
        Some(GeneratedCode { range, source })
    }

    fn generated_by(&self, is_source: &dyn Fn(&str) -> bool, line: u64) -> Vec<Range<usize>> {
        let file = &self.file;
        let items = file.module_items();
        let functions = items.iter().filter(|item| item.is_function()).map(|item| item.range());
        let mut found: Vec<Range<usize>> = Vec::new();
        for function in functions {
            let text = file.slice(&function);
            let starts: Vec<usize> = line_directives(&text).map(|directive| directive.at).collect();
            let line_end = |at: &usize| text[*at..].find('\n').map_or(text.len(), |length| at + length);
            let behind: Vec<usize> = starts.iter().map(|at| function.start + line_end(at)).collect();
            let places = file.source_locations(&items, &behind);
            let is_wanted = |place: &SourceLocation| place.line == line && is_source(&place.path);
            let mut before = false;
            for (number, place) in places.iter().enumerate() {
                let is_of_line = place.as_ref().is_some_and(|place| place.places().any(is_wanted));
                let end = starts.get(number + 1).copied().unwrap_or(text.len());
                let code = code_in(&text, starts[number]..end)
                    .map(|code| function.start + code.start..function.start + code.end);
                match (found.last_mut(), code) {
                    (Some(last), Some(code)) if is_of_line && before => last.end = code.end,
                    (_, Some(code)) if is_of_line => found.push(code),
                    _ => {}
                }
                before = is_of_line;
            }
        }
        found
    }
}

/// The `.loc` directive whose line an offset is in, and an offset that its place applies to.
fn directive_at(file: &LintFile, offset: usize) -> Option<(Range<usize>, usize)> {
    let rope = file.text();
    let start = rope.line_to_byte(rope.byte_to_line(offset));
    let line: String = rope.byte_slice(start..rope.len_bytes()).chars().take_while(|c| *c != '\n').collect();
    let directive = line_directives(&line).next().filter(|directive| line[..directive.at].trim().is_empty())?;
    let end = start + line.len();
    Some((start + directive.at..start + line.trim_end().len(), end))
}

/// The code behind a `.loc` directive, without its line and the brace that ends the function.
fn code_in(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let line_end = text[range.clone()].find('\n')?;
    let from = range.start + line_end;
    let behind = text[from..range.end].trim_end().trim_end_matches('}').trim_end();
    let start = behind.len() - behind.trim_start().len();
    (start < behind.len()).then(|| from + start..from + behind.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;

    const MODULE: &str = ".version 8.0\n.target sm_80\n.entry k()\n{\n\t.reg .b32 %r<9>;\n\t.loc\t1 5 3\n\tmov.u32 %r1, 1;\n\t.loc\t2 7 1, function_name $L__info, inlined_at 1 6 2\n\tadd.u32 %r2, %r1, 1;\n\tadd.u32 %r3, %r2, 1;\n\t.loc\t1 5 9\n\tsub.u32 %r4, %r3, 1;\n\t.loc\t1 5 11\n\tsub.u32 %r5, %r3, 1;\n\tret;\n}\n.file 1 \"a.cu\"\n.file 2 \"b.h\"\n";

    fn source(needle: &str) -> Option<(&'static str, Vec<String>)> {
        let found = snapshot(MODULE).generated_from(MODULE.find(needle).expect("is there") + 1)?;
        let places = found.source.places().map(|place| format!("{}:{}", place.path, place.line));
        Some((&MODULE[found.range], places.collect()))
    }

    fn ptx(path: &str, line: u64) -> Vec<&'static str> {
        let found = snapshot(MODULE).generated_by(&|known| known == path, line);
        found.into_iter().map(|range| &MODULE[range]).collect()
    }

    #[test]
    fn an_instruction_and_a_directive_lead_to_their_source() {
        assert_eq!(source("mov.u32"), Some(("mov.u32", vec!["a.cu:5".to_owned()])));
        assert_eq!(source("add.u32 %r3"), Some(("add.u32", vec!["b.h:7".to_owned(), "a.cu:6".to_owned()])));
        assert_eq!(source(".loc\t1 5 9"), Some((".loc\t1 5 9", vec!["a.cu:5".to_owned()])));
        assert_eq!(source("%r3, %r2").map(|found| found.0), Some("add.u32"), "anywhere in an instruction");
        assert_eq!(source(".reg"), None);
    }

    #[test]
    fn a_source_line_leads_to_its_instructions() {
        assert_eq!(
            ptx("a.cu", 5),
            ["mov.u32 %r1, 1;", "sub.u32 %r4, %r3, 1;\n\t.loc\t1 5 11\n\tsub.u32 %r5, %r3, 1;\n\tret;"]
        );
        assert_eq!(ptx("a.cu", 6), ["add.u32 %r2, %r1, 1;\n\tadd.u32 %r3, %r2, 1;"], "where it was inlined");
        assert_eq!(ptx("b.h", 7).len(), 1);
        assert_eq!(ptx("a.cu", 4), [""; 0]);
    }
}
