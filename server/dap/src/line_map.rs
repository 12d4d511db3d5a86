//! Lines of the module and of its sources, and the instructions on them.

use kernel::Kernel;
use program::CodePlace;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syntax::{LintFile, SourceLocation};

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// The path.
    pub path: Arc<Path>,
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1.
    pub column: u64,
}

/// Where an instruction is.
#[derive(Clone, Debug)]
pub struct InstructionLines {
    /// Its line in the module.
    pub ptx: CodeLine,
    /// The line that it was compiled from.
    pub source: Option<CodeLine>,
    /// Whether it is the first one of the machine for its PTX instruction.
    pub is_first: bool,
}

/// The lines of all instructions.
#[derive(Debug)]
pub struct LineMap {
    functions: Vec<Vec<InstructionLines>>,
}

impl LineMap {
    /// The lines of a kernel in a module at a path.
    pub fn new(kernel: &Kernel, file: &LintFile, module: &Path) -> Self {
        let mut offsets: Vec<usize> = kernel.places.iter().flatten().map(|range| range.start).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let locations = file.source_locations(&file.module_items(), &offsets);
        let locations: HashMap<usize, Box<SourceLocation>> =
            offsets.into_iter().zip(locations).filter_map(|(offset, place)| Some((offset, place?))).collect();
        let folder = module.parent().unwrap_or(Path::new(""));
        let mut paths = HashMap::new();
        let module: Arc<Path> = normalized(module).into();
        let functions = kernel.places.iter().map(|places| {
            let starts = places.iter().map(|range| range.start);
            let lines = starts.clone().enumerate().map(|(at, start)| {
                let position = file.position(start);
                let (line, column) = (position.line as u64 + 1, position.column as u64 + 1);
                InstructionLines {
                    ptx: CodeLine { path: module.clone(), line, column },
                    source: locations.get(&start).map(|place| source_line(place, folder, &mut paths)),
                    is_first: at == 0 || places[at - 1].start != start,
                }
            });
            lines.collect()
        });
        Self { functions: functions.collect() }
    }

    /// The lines of an instruction.
    pub fn at(&self, place: CodePlace) -> Option<&InstructionLines> {
        self.functions.get(place.function as usize)?.get(place.instruction as usize)
    }

    /// Whether an instruction is the first one of the machine for its PTX instruction.
    pub fn is_first(&self, place: CodePlace) -> bool {
        self.at(place).is_some_and(|lines| lines.is_first)
    }

    /// The lines of a file that have instructions, in ascending order.
    pub fn lines_of(&self, path: &Path) -> Vec<u64> {
        let mut lines: Vec<u64> = self.in_file(path).map(|(_, line)| line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The first line of a file at or after one that has instructions, and where a thread arrives at it.
    pub fn find(&self, path: &Path, line: u64) -> Option<(u64, Vec<CodePlace>)> {
        let found = self.in_file(path).map(|(_, found)| found).filter(|found| *found >= line).min()?;
        let places: Vec<CodePlace> =
            self.in_file(path).filter(|(_, line)| *line == found).map(|(place, _)| place).collect();
        let begins = |place: &CodePlace| {
            let before = place.instruction.checked_sub(1);
            before.is_none_or(|before| !places.contains(&CodePlace { instruction: before, ..*place }))
        };
        Some((found, places.iter().copied().filter(begins).collect()))
    }

    /// The first instructions of PTX instructions on the lines of a file.
    fn in_file<'l>(&'l self, path: &Path) -> impl Iterator<Item = (CodePlace, u64)> + use<'l> {
        let path = normalized(path);
        let all = self.functions.iter().enumerate().flat_map(|(function, lines)| {
            let place = move |at: usize| CodePlace { function: function as u32, instruction: at as u32 };
            // The last instruction is the return that the machine adds.
            lines.iter().take(lines.len().saturating_sub(1)).enumerate().map(move |(at, lines)| (place(at), lines))
        });
        all.filter(|(_, lines)| lines.is_first).filter_map(move |(place, InstructionLines { ptx, source, .. })| {
            let line = [Some(ptx), source.as_ref()].into_iter().flatten().find(|line| *line.path == *path)?;
            Some((place, line.line))
        })
    }
}

/// Paths are compared by the files that they lead to.
fn normalized(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn source_line(place: &SourceLocation, folder: &Path, paths: &mut HashMap<String, Arc<Path>>) -> CodeLine {
    let path = paths.entry(place.path.clone()).or_insert_with(|| normalized(&folder.join(&place.path)).into());
    CodeLine { path: path.clone(), line: place.line, column: place.column.max(1) }
}
