//! The compilation database `compile_commands.json`: the targets that a build compiles each source for. Headers have no entry. A header is compiled
//! for the targets of all sources that include it.

use crate::includes::{IncludePaths, SearchBudget, included_headers, normalize};
use crate::options;
use crate::read;
use diagnostics::Settings;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::error::Category;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// The name of the file.
pub const FILE_NAME: &str = "compile_commands.json";
/// The subfolders to search, in each parent folder of a source.
const SUBFOLDERS: [&str; 3] = ["", "build", "out"];

/// The file extensions of headers.
const HEADERS: [&str; 5] = ["h", "hpp", "hxx", "cuh", "inl"];

/// The targets of the sources of a build.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CompileCommands {
    /// The targets of each source, by its absolute path.
    sources: HashMap<PathBuf, Settings>,
    /// Sources grouped by targets and include paths.
    groups: Vec<Group>,
    /// The targets of each header, computed on demand.
    headers: OnceLock<HashMap<PathBuf, Settings>>,
}

/// The options of the command of a source, its absolute path given, that a compilation of the source may have: folders of headers, macros, the language
/// version and the target. Never a program, a plug-in, a file with options, or what a shell would act on.
pub fn compiler_options(source: &Path) -> Vec<String> {
    let folder = source.parent().unwrap_or(Path::new("/"));
    let Some(text) =
        folder.ancestors().flat_map(places).find(|file| file.is_file()).and_then(|file| read::regular_file(&file).ok())
    else {
        return Vec::new();
    };
    let Ok(entries) = serde_json::from_str::<Vec<ArrayElement>>(&text) else { return Vec::new() };
    let entry = entries.into_iter().find_map(|element| match element {
        ArrayElement::Entry(entry) => (normalize(&entry.directory.join(&entry.file)) == source).then_some(entry),
        ArrayElement::Other(_) => None,
    });
    entry.and_then(|entry| Some(options::allowed(&entry.words()?, &entry.directory))).unwrap_or_default()
}

#[derive(Debug, PartialEq, Eq)]
struct Group {
    settings: Settings,
    folders: IncludePaths,
    sources: Vec<PathBuf>,
}

impl CompileCommands {
    /// The targets of an absolute path. For a source, those of its commands. For a header, those of all sources that include it. For a header without
    /// a known source, those of all sources, if they are the same.
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

/// A cache of parsed files. Many folders share a file, which may be large.
static CACHE: LazyLock<Mutex<BTreeMap<PathBuf, ReadCommands>>> = LazyLock::new(Mutex::default);

/// A file that was read.
struct ReadCommands {
    /// When it was modified.
    modified: SystemTime,
    /// Its commands; none if it cannot be used.
    commands: Arc<CompileCommands>,
    /// Why it cannot be used.
    error: Option<String>,
}

/// User-facing messages about the files that were found and cannot be used.
pub fn unused() -> Vec<String> {
    let cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let message =
        |(file, read): (&PathBuf, &ReadCommands)| Some(format!("ignored {}: {}", file.display(), read.error.as_ref()?));
    cache.iter().filter_map(message).collect()
}

/// Where a folder may have the file.
pub(crate) fn places(folder: &Path) -> impl Iterator<Item = PathBuf> {
    SUBFOLDERS.iter().map(move |place| folder.join(place).join(FILE_NAME))
}

/// The commands in the nearest parent of an absolute folder; empty if there is no readable file.
pub(crate) fn nearest(folder: &Path) -> Arc<CompileCommands> {
    for file in folder.ancestors().flat_map(places) {
        let Ok(modified) = file.metadata().and_then(|metadata| metadata.modified()) else { continue };
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.get(&file).filter(|known| known.modified == modified) {
            return known.commands.clone();
        }
        let read = read::regular_file(&file).map_err(|error| read::reason(&error)).and_then(|text| try_parse(&text));
        let (commands, error) = match read {
            Ok(commands) => (Arc::new(commands), None),
            Err(error) => (Arc::default(), Some(error)),
        };
        cache.insert(file, ReadCommands { modified, commands: commands.clone(), error });
        return commands;
    }
    Arc::default()
}

/// Parses the file. Invalid entries are skipped.
pub fn parse(text: &str) -> CompileCommands {
    try_parse(text).unwrap_or_default()
}

/// Parses the file. The error quotes nothing of it: the file may be a link to a secret.
fn try_parse(text: &str) -> Result<CompileCommands, String> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let read = parser.deserialize_seq(CommandCollector::default());
    read.and_then(|commands| parser.end().map(|()| commands)).map_err(|error| match error.classify() {
        Category::Data => "expected a list of commands".to_owned(),
        _ => format!("invalid JSON at {}:{}", error.line(), error.column()),
    })
}

/// One entry of the file.
#[derive(Deserialize)]
struct CompileCommand {
    #[serde(default)]
    directory: PathBuf,
    file: PathBuf,
    /// The command as a list of arguments.
    arguments: Option<Vec<String>>,
    /// The command as a shell command line.
    command: Option<String>,
}

impl CompileCommand {
    /// The words of the command.
    fn words(&self) -> Option<Vec<String>> {
        self.arguments.clone().or_else(|| shlex::split(self.command.as_ref()?))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ArrayElement {
    Entry(CompileCommand),
    Other(IgnoredAny),
}

/// Collects commands while parsing, so that a large file is not held in memory.
#[derive(Default)]
struct CommandCollector {
    commands: CompileCommands,
    /// The indices of groups by include paths.
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
        let Some(words) = entry.words() else { return };
        let names = options::targets(&words);
        let known = names.iter().map(String::as_str).filter(|name| Settings::new(Some(name), None).is_ok());
        let Ok(settings) = Settings::default().for_targets(known) else { return };
        if settings.target.is_none() {
            return;
        }
        let path = normalize(&entry.directory.join(entry.file));
        let folders = IncludePaths::of(&words, &entry.directory);
        let groups = &mut self.commands.groups;
        let same_paths = self.groups.entry(folders.clone()).or_default();
        match same_paths.iter().copied().find(|at| groups[*at].settings == settings) {
            Some(at) => groups[at].sources.push(path.clone()),
            None => {
                same_paths.push(groups.len());
                groups.push(Group { settings: settings.clone(), folders, sources: vec![path.clone()] });
            }
        }
        self.commands.sources.insert(path, settings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_names(words: &str) -> String {
        options::targets(&words.split(' ').map(str::to_owned).collect::<Vec<_>>()).join(" ")
    }

    #[test]
    fn all_target_options_are_parsed() {
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
