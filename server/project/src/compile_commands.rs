//! `compile_commands.json`: the targets that a build compiles a source for. A header has no entry: it is compiled for the targets of all sources that
//! include it.
//!
//! Must not know what else speaks for a source.

use crate::includes::{IncludePaths, SearchBudget, included_headers, normalize};
use crate::read;
use diagnostics::Settings;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// The name that build systems give it.
const FILE_NAME: &str = "compile_commands.json";
/// Where it lies beside a source's folders: in one of them, or in a build folder of one.
const PLACES: [&str; 3] = ["", "build", "out"];

/// The endings of headers.
const HEADERS: [&str; 5] = ["h", "hpp", "hxx", "cuh", "inl"];

/// What a build says of its sources.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CompileCommands {
    /// The targets of each source, by its absolute path.
    sources: HashMap<PathBuf, Settings>,
    /// Sources with the same targets and folders.
    groups: Vec<Group>,
    /// The targets of each header, once somebody asks for one.
    headers: OnceLock<HashMap<PathBuf, Settings>>,
}

#[derive(Debug, PartialEq, Eq)]
struct Group {
    settings: Settings,
    folders: IncludePaths,
    sources: Vec<PathBuf>,
}

impl CompileCommands {
    /// The targets of an absolute path: those of its commands; of a header, those of all sources that include it; of one that none is known to
    /// include, those that all sources have in common, if they have the same.
    pub fn targets(&self, path: &Path) -> Option<&Settings> {
        let known = self.sources.get(path);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if known.is_some() || self.sources.is_empty() || !HEADERS.contains(&ending) {
            return known;
        }
        self.headers.get_or_init(|| self.included()).get(path).or_else(|| {
            let (first, rest) = self.groups.split_first()?;
            rest.iter().all(|group| group.settings == first.settings).then_some(&first.settings)
        })
    }

    fn included(&self) -> HashMap<PathBuf, Settings> {
        let mut budget = SearchBudget::default();
        let mut found: HashMap<PathBuf, Settings> = HashMap::new();
        for group in &self.groups {
            for header in included_headers(&group.sources, &group.folders, &mut budget) {
                let known = found.entry(header).or_insert_with(|| group.settings.clone());
                let targets = group.settings.target.iter().chain(&group.settings.additional_targets);
                for target in targets {
                    if known.target != Some(*target) && !known.additional_targets.contains(target) {
                        known.additional_targets.push(*target);
                    }
                }
            }
        }
        found
    }
}

/// What was read of each file, and when that had been written: several folders share one, and it may be long.
static READ: LazyLock<Mutex<CommandCache>> = LazyLock::new(Mutex::default);

type CommandCache = HashMap<PathBuf, (SystemTime, Arc<CompileCommands>)>;

/// The commands in the nearest folder at or above an absolute one; none where there is no such file, or nobody can read it.
pub(crate) fn near(folder: &Path) -> Arc<CompileCommands> {
    let places =
        folder.ancestors().flat_map(|folder| PLACES.iter().map(move |place| folder.join(place).join(FILE_NAME)));
    for file in places {
        let Ok(written) = file.metadata().and_then(|about| about.modified()) else { continue };
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = read.get(&file).filter(|(at, _)| *at == written) {
            return known.clone();
        }
        let commands = Arc::new(read::beside(&file).map(|text| parse(&text)).unwrap_or_default());
        read.insert(file, (written, commands.clone()));
        return commands;
    }
    Arc::default()
}

/// The targets of every source that a text names; what cannot be understood is passed over.
pub fn parse(text: &str) -> CompileCommands {
    let mut parser = serde_json::Deserializer::from_str(text);
    let read = parser.deserialize_seq(CommandCollector::default());
    read.and_then(|commands| parser.end().map(|()| commands)).unwrap_or_default()
}

/// One command, as far as it matters here.
#[derive(Deserialize)]
struct CompileCommand {
    #[serde(default)]
    directory: PathBuf,
    file: PathBuf,
    /// The words of the command.
    arguments: Option<Vec<String>>,
    /// The command as a shell would read it.
    command: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ArrayElement {
    Entry(CompileCommand),
    Other(IgnoredAny),
}

/// Takes up one command after the other: a large build's file is not kept beside what it says.
#[derive(Default)]
struct CommandCollector {
    commands: CompileCommands,
    /// The groups with the same folders.
    groups: HashMap<IncludePaths, Vec<usize>>,
}

impl<'de> Visitor<'de> for CommandCollector {
    type Value = CompileCommands;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a list of commands")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<CompileCommands, A::Error> {
        while let Some(element) = list.next_element()? {
            if let ArrayElement::Entry(entry) = element {
                self.add(entry);
            }
        }
        Ok(self.commands)
    }
}

impl CommandCollector {
    fn add(&mut self, entry: CompileCommand) {
        let Some(words) = entry.arguments.or_else(|| shlex::split(&entry.command?)) else { return };
        let names = targets(&words);
        let known = names.iter().map(String::as_str).filter(|name| Settings::new(Some(name), None).is_ok());
        let Ok(settings) = Settings::default().for_targets(known) else { return };
        if settings.target.is_none() {
            return;
        }
        let path = normalize(&entry.directory.join(entry.file));
        let folders = IncludePaths::of(&words, &entry.directory);
        let groups = &mut self.commands.groups;
        let alike = self.groups.entry(folders.clone()).or_default();
        match alike.iter().copied().find(|at| groups[*at].settings == settings) {
            Some(at) => groups[at].sources.push(path.clone()),
            None => {
                alike.push(groups.len());
                groups.push(Group { settings: settings.clone(), folders, sources: vec![path.clone()] });
            }
        }
        self.commands.sources.insert(path, settings);
    }
}

/// The options of compilers that name targets; their value follows behind `=` or as the next word.
const OPTIONS: [&str; 6] =
    ["-arch", "--gpu-architecture", "-gencode", "--generate-code", "--cuda-gpu-arch", "--offload-arch"];

/// The targets that a command names, in its order.
fn targets(words: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let (option, value) =
            word.split_once('=').map_or((word.as_str(), None), |(option, value)| (option, Some(value)));
        if !OPTIONS.contains(&option) {
            continue;
        }
        let next = if value.is_none() { words.peek().map(|word| word.as_str()) } else { None };
        let Some(value) = value.or(next) else { continue };
        // `arch=compute_90,code=[sm_90,compute_90]` is for the virtual one: that is what the text is checked against.
        let names = match value.split_once("arch=") {
            Some((_, rest)) => rest.split(',').next().unwrap_or_default(),
            None => value,
        };
        found.extend(names.split(',').map(|name| name.replace("compute_", "sm_")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_names(words: &str) -> String {
        targets(&words.split(' ').map(str::to_owned).collect::<Vec<_>>()).join(" ")
    }

    #[test]
    fn all_ways_of_naming_a_target_are_read() {
        assert_eq!(target_names("nvcc -arch=sm_90 a.cu"), "sm_90");
        assert_eq!(target_names("nvcc -arch compute_80 a.cu"), "sm_80");
        assert_eq!(target_names("nvcc --gpu-architecture=sm_75 -c a.cu"), "sm_75");
        assert_eq!(
            target_names(
                "nvcc -gencode arch=compute_90a,code=[sm_90a,compute_90a] --generate-code=arch=compute_80,code=sm_80"
            ),
            "sm_90a sm_80"
        );
        assert_eq!(target_names("clang++ --cuda-gpu-arch=sm_70 --offload-arch=sm_80,sm_90"), "sm_70 sm_80 sm_90");
        assert_eq!(target_names("g++ -march=native a.cpp"), "");
    }

    #[test]
    fn a_source_has_the_targets_of_its_command() {
        let text = r#"[{"directory": "/b/x", "file": "../a.cu", "command": "nvcc \"-arch=sm_90\" ../a.cu"},
            {"directory": "/b", "file": "/c.cu", "arguments": ["nvcc", "-gencode", "arch=compute_80,code=sm_80", "-arch=native"]},
            {"file": "d.cu"}, 7]"#;
        let commands = parse(text);
        let name =
            |path: &str| commands.sources.get(Path::new(path)).and_then(|of| of.target).map(|target| target.name());
        assert_eq!((name("/b/a.cu"), name("/c.cu"), name("/d.cu")), (Some("sm_90"), Some("sm_80"), None));
        assert!(parse("{").sources.is_empty());
    }
    #[test]
    fn a_command_is_split_as_a_shell_would_and_arguments_are_not_split() {
        let text = r#"[{"directory": "/b", "file": "a.cu", "command": "nvcc -arch=sm_90 -I \"a b\" '-Ic d' -isystem e\\ f -D'X=\"y z\"' a.cu"},
            {"directory": "/b", "file": "g h.cu", "arguments": ["nvcc", "-arch=sm_90", "-I", "i j", "-I\"k\"", "g h.cu"]},
            {"directory": "/b", "file": "open.cu", "command": "nvcc -arch=sm_90 \"open.cu"}]"#;
        let commands = parse(text);
        let groups: Vec<_> =
            commands.groups.iter().map(|group| format!("{:?} {:?}", group.sources, group.folders)).collect();
        assert_eq!(
            groups,
            [
                r#"["/b/a.cu"] IncludePaths(["/b/a b", "/b/c d", "/b/e f"])"#,
                r#"["/b/g h.cu"] IncludePaths(["/b/i j", "/b/\"k\""])"#,
            ]
        );
    }
}
