//! Where settings set the target and the PTX version that override those of modules.

use isa::target::Target;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a setting is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The options of the command line.
    CommandLine,
    /// The settings of an editor.
    Editor,
    /// The compilation database.
    CompileCommands,
    /// A settings file.
    File(Arc<OriginFile>),
}

/// Where the targets and the PTX version are set, if known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingOrigins {
    /// Where the targets are set.
    pub target: Option<SettingOrigin>,
    /// Where the PTX version is set.
    pub version: Option<SettingOrigin>,
}

/// The targets and the PTX version that a settings file sets.
#[derive(Debug, PartialEq, Eq)]
pub struct OriginFile {
    /// Its path.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The targets, with their byte ranges in the text.
    pub targets: Vec<(Target, Range<usize>)>,
    /// The byte range of the PTX version.
    pub version: Option<Range<usize>>,
}

/// A value in a settings file that is too old.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginPlace<'a> {
    /// The file.
    pub file: &'a OriginFile,
    /// The byte range of the value in the text of the file.
    pub range: Range<usize>,
    /// The name of the setting: "target" or "PTX version".
    pub setting: &'static str,
    /// The value that is new enough, without quotation marks; `None` if there is none.
    pub needed: Option<String>,
}

impl OriginFile {
    /// The byte range of a target.
    pub(crate) fn range(&self, target: Target) -> Option<Range<usize>> {
        self.targets.iter().find(|(known, _)| *known == target).map(|(_, range)| range.clone())
    }

    /// The name of the file.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl OriginPlace<'_> {
    /// The text of a link to it.
    pub fn message(&self) -> String {
        format!("{} set here", self.setting)
    }
}

impl SettingOrigin {
    /// The origin as the subject of a message.
    pub(crate) fn subject(&self) -> String {
        match self {
            SettingOrigin::CommandLine => "the command line".to_owned(),
            SettingOrigin::Editor => "the editor configuration".to_owned(),
            SettingOrigin::CompileCommands => "`compile_commands.json`".to_owned(),
            SettingOrigin::File(file) => format!("`{}`", file.name()),
        }
    }

    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&OriginFile> {
        match self {
            SettingOrigin::File(file) => Some(file),
            SettingOrigin::CommandLine | SettingOrigin::Editor | SettingOrigin::CompileCommands => None,
        }
    }
}
