//! Where settings set the targets that override those of modules.

use isa::target::Target;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Where settings set a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetOrigin {
    /// The option `--target`.
    CommandLine,
    /// The settings of an editor.
    Editor,
    /// The compilation database.
    CompileCommands,
    /// A settings file.
    File(Arc<TargetsInFile>),
}

/// The targets that a settings file sets.
#[derive(Debug, PartialEq, Eq)]
pub struct TargetsInFile {
    /// Its path.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The targets, with their byte ranges in the text.
    pub targets: Vec<(Target, Range<usize>)>,
}

impl TargetsInFile {
    /// The byte range of a target.
    pub fn range(&self, target: Target) -> Option<&Range<usize>> {
        self.targets.iter().find(|(known, _)| *known == target).map(|(_, range)| range)
    }

    /// The name of the file.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl TargetOrigin {
    /// The origin as the subject of a message.
    pub(crate) fn subject(&self) -> String {
        match self {
            TargetOrigin::CommandLine => "the command line".to_owned(),
            TargetOrigin::Editor => "the editor configuration".to_owned(),
            TargetOrigin::CompileCommands => "`compile_commands.json`".to_owned(),
            TargetOrigin::File(file) => format!("`{}`", file.name()),
        }
    }
}
