//! The places in a compiler's source that a module was generated from, by its `.file` and `.loc` directives.

use crate::lexer::{Number, is_word_char};
use crate::{Item, LintFile};
use std::collections::HashMap;
use std::ops::Range;

/// A place in the source that code was generated from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path, as `.file` has it.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1; 0 if the compiler does not know it.
    pub column: u64,
    /// The place of the call, if the code was inlined.
    pub inlined_at: Option<Box<SourceLocation>>,
}

impl SourceLocation {
    /// This place, then those that it was inlined at.
    pub fn places(&self) -> impl Iterator<Item = &SourceLocation> {
        std::iter::successors(Some(self), |place| place.inlined_at.as_deref())
    }
}

/// The number of a file, a line and a column, as `.loc` has them.
type Place = [u64; 3];

/// The maximum number of calls that were inlined into each other and are listed.
const MAX_DEPTH: usize = 16;

/// A `.loc` directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineDirective {
    /// The offset of its word.
    pub at: usize,
    /// The number of a file, a line and a column.
    pub place: [u64; 3],
    /// The place that the code was inlined at, and its range.
    pub inlined_at: Option<([u64; 3], Range<usize>)>,
}

/// The directive.
const LOC: &str = ".loc";

impl LintFile {
    /// For each of the ascending offsets, the place that its code was generated from; `None` for what is not in a function, is before its
    /// first `.loc`, or is in a module without `.file`.
    pub fn source_locations(&self, items: &[Item], offsets: &[usize]) -> Vec<Option<Box<SourceLocation>>> {
        let mut found = vec![None; offsets.len()];
        if offsets.is_empty() {
            return found;
        }
        let files = self.line_files(items);
        let (mut at, mut inlined) = (0, HashMap::new());
        for item in items.iter().filter(|item| !files.is_empty() && item.is_function()) {
            at += offsets[at..].partition_point(|offset| *offset < item.range().start);
            let length = offsets[at..].partition_point(|offset| *offset < item.range().end);
            let within = at..at + length;
            if within.is_empty() {
                continue;
            }
            self.for_each_place(
                item.range().start,
                &offsets[within.clone()],
                &mut inlined,
                |number, place, inlined| {
                    found[within.start + number] = location(place, inlined, &files);
                },
            );
            at = within.end;
        }
        found
    }

    /// The paths of `.file` directives by their numbers.
    fn line_files(&self, items: &[Item]) -> HashMap<u64, String> {
        let is_file =
            |item: &&Item| self.text().get_byte(item.range().start) == Some(b'.') && item.directive().text == ".file";
        items.iter().filter(is_file).filter_map(|item| line_file(&self.slice(&item.range()))).collect()
    }

    /// Calls `see` with the number of each offset and the last place before it. The offsets are in the function at `start`.
    fn for_each_place(
        &self,
        start: usize,
        offsets: &[usize],
        inlined: &mut HashMap<Place, Option<Place>>,
        mut see: impl FnMut(usize, Place, &HashMap<Place, Option<Place>>),
    ) {
        let Some(last) = offsets.last() else { return };
        let (mut current, mut number) = (None, 0);
        for LineDirective { at, place, inlined_at } in line_directives(&self.slice(&(start..*last))) {
            // A diagnostic of a `.loc` is about the directive itself.
            while number < offsets.len() && offsets[number] <= start + at {
                current.iter().for_each(|place| see(number, *place, inlined));
                number += 1;
            }
            inlined.insert(place, inlined_at.map(|(place, _)| place));
            current = Some(place);
        }
        for number in number..offsets.len() {
            current.iter().for_each(|place| see(number, *place, inlined));
        }
    }
}

/// The number and path of a `.file` directive.
fn line_file(text: &str) -> Option<(u64, String)> {
    let (head, rest) = text.strip_prefix(".file")?.split_once('"')?;
    let (path, _) = rest.split_once('"')?;
    Some((Number::integer(head.trim())?, path.to_owned()))
}

/// The `.loc` directives of a text, in order. Those in block comments are not told apart from others.
pub fn line_directives(text: &str) -> impl Iterator<Item = LineDirective> {
    let is_code = |at: usize| {
        let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
        !line.contains("//") && !line.contains('"') && !text[at + LOC.len()..].starts_with(is_word_char)
    };
    text.match_indices(LOC).filter(move |(at, _)| is_code(*at)).filter_map(|(at, _)| line_directive(text, at))
}

/// Reads the directive whose word is at an offset.
fn line_directive(text: &str, at: usize) -> Option<LineDirective> {
    let (place, mut rest) = read_place(text, at + LOC.len()).map(|(place, range)| (place, range.end))?;
    let skip = |at: &mut usize, expected: &str| {
        let after = text[*at..].trim_start().strip_prefix(expected)?;
        *at = text.len() - after.len();
        Some(())
    };
    let mut inlined_at = || {
        skip(&mut rest, ",")?;
        skip(&mut rest, "function_name")?;
        // A label, perhaps with an offset.
        rest += text[rest..].find([',', '\n'])?;
        skip(&mut rest, ",")?;
        skip(&mut rest, "inlined_at")?;
        read_place(text, rest)
    };
    Some(LineDirective { at, place, inlined_at: inlined_at() })
}

/// Reads three numbers from an offset on, and their range.
fn read_place(text: &str, mut at: usize) -> Option<(Place, Range<usize>)> {
    let mut place = [0; 3];
    let mut start = None;
    for number in &mut place {
        let from = text.len() - text[at..].trim_start().len();
        let length = text[from..].find(|c| !is_word_char(c)).unwrap_or(text.len() - from);
        *number = Number::integer(&text[from..from + length])?;
        start.get_or_insert(from);
        at = from + length;
    }
    Some((place, start?..at))
}

/// A place with those that it was inlined at. Compilers write line 0 for code that belongs to no line.
fn location(
    place: Place,
    inlined: &HashMap<Place, Option<Place>>,
    files: &HashMap<u64, String>,
) -> Option<Box<SourceLocation>> {
    let places = std::iter::successors(Some(place), |place| inlined.get(place).copied().flatten()).take(MAX_DEPTH);
    let known: Vec<_> = places
        .map_while(|[file, line, column]| Some((files.get(&file).filter(|_| line > 0)?.clone(), line, column)))
        .collect();
    known.into_iter().rev().fold(None, |inlined_at, (path, line, column)| {
        Some(Box::new(SourceLocation { path, line, column, inlined_at }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The locations of `marker` in a module with one file.
    fn locations(body: &str, marker: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.file 1 \"a.cu\"\n.entry k()\n{{\n{body}\nret;\n}}\n.file 2 \"b.h\", 5, 6\n"
        );
        let file = LintFile::parse(&text);
        let offset = text.find(marker).expect("the marker");
        let mut found = file.source_locations(&file.module_items(), &[offset]);
        let shown = |place: &SourceLocation| format!("{}:{}:{}", place.path, place.line, place.column);
        found.remove(0).iter().flat_map(|found| found.places()).map(shown).collect()
    }

    #[test]
    fn the_last_directive_before_an_instruction_counts() {
        assert_eq!(
            locations(".loc 1 3 5\nadd.u32 a, b, c;\n.loc\t2 4 0 // b.h:4\nsub.u32 a, b, c;", "sub"),
            ["b.h:4:0"]
        );
        assert_eq!(locations(".loc 1 3 5\nadd.u32 a, b, c;\n.loc 2 4 0\nsub.u32 a, b, c;", "add"), ["a.cu:3:5"]);
    }

    #[test]
    fn what_was_inlined_has_all_its_places() {
        let body = ".loc 1 9 1\nmov.u32 a, b;\n.loc 2 7 3, function_name $L0, inlined_at 1 9 1\n\
                    mov.u32 a, c;\n.loc 2 2 2, function_name $L1, inlined_at 2 7 3\nadd.u32 a, b, c;";
        assert_eq!(locations(body, "add"), ["b.h:2:2", "b.h:7:3", "a.cu:9:1"]);
    }

    #[test]
    fn code_without_a_place_has_none() {
        assert!(locations("add.u32 a, b, c;\n.loc 1 2 3", "add").is_empty());
        assert!(locations(".loc 1 0 0\nadd.u32 a, b, c;", "add").is_empty());
        assert!(locations(".loc 3 1 1\nadd.u32 a, b, c;", "add").is_empty(), "no such file");
        assert!(locations(".loc 1 2 3\nadd.u32 a, b, c;", ".entry").is_empty());
    }
}
