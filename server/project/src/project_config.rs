//! Finds the `ptx-atomics.toml` of a source and applies it. Targets that it does not set come from the compilation database.

use crate::compile_commands::{self, CompileCommands};
use crate::links::leads_out;
use crate::read;
use diagnostics::config::{self, CheckedConfig, ConfigError, ConfigFile, FILE_NAME};
use diagnostics::{OriginFile, SettingOrigin, Settings};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A settings file with its compiled patterns.
#[derive(Clone, Debug, Default)]
pub struct ProjectConfig {
    /// Its path; `None` if there is none.
    pub file: Option<PathBuf>,
    /// Its contents.
    pub contents: ConfigFile,
    patterns: Arc<Patterns>,
    /// The compilation database.
    commands: Arc<CompileCommands>,
}

/// A settings file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidConfig {
    /// Its path.
    pub file: PathBuf,
    /// Its text; empty if it is unreadable.
    pub text: String,
    /// The errors, in text order; at least one.
    pub errors: Vec<ConfigError>,
}

impl InvalidConfig {
    fn unreadable(file: PathBuf, error: &io::Error) -> Self {
        let error = ConfigError { range: 0..0, message: read::reason(error) };
        InvalidConfig { file, text: String::new(), errors: vec![error] }
    }

    /// The errors as user-facing messages with their lines.
    pub fn messages(&self) -> Vec<String> {
        let message = |error: &ConfigError| match self.text.as_str() {
            "" => error.message.clone(),
            text => error.with_line(text),
        };
        self.errors.iter().map(message).collect()
    }
}

/// All errors of the text of a settings file, also those of its patterns, in text order.
pub fn config_errors(text: &str) -> Vec<ConfigError> {
    with_patterns(config::check(text)).errors
}

/// The check of a settings file with the errors of its patterns.
fn with_patterns(mut checked: CheckedConfig) -> CheckedConfig {
    let invalid = |(pattern, range): &(String, Range<usize>)| {
        let message = compile(Path::new("/"), std::slice::from_ref(pattern)).err()?;
        Some(ConfigError { range: range.clone(), message })
    };
    checked.errors.extend(checked.patterns.iter().filter_map(invalid));
    checked.errors.sort_by_key(|error| error.range.start);
    checked
}

/// The same contents with the places of their targets and versions.
fn with_origins(mut contents: ConfigFile, file: &Path, text: &str, checked: &CheckedConfig) -> ConfigFile {
    let origin = |section: Option<usize>| {
        let own = checked.targets.iter().filter(|(of, ..)| *of == section);
        let targets = own.map(|(_, target, range)| (*target, range.clone())).collect();
        let version = checked.versions.iter().find(|(of, _)| *of == section).map(|(_, range)| range.clone());
        let (path, text) = (file.to_owned(), text.to_owned());
        SettingOrigin::File(Arc::new(OriginFile { path, text, targets, version }))
    };
    contents.settings = contents.settings.with_origin(origin(None));
    for (index, over) in contents.overrides.iter_mut().enumerate() {
        over.settings = std::mem::take(&mut over.settings).with_origin(origin(Some(index)));
    }
    contents
}

impl ProjectConfig {
    /// Whether a folder has a settings file, or a compilation database, of its own.
    pub(crate) fn has_files(folder: &Path) -> bool {
        let is_missing = |error: io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        let has_config = !folder.join(FILE_NAME).symlink_metadata().is_err_and(is_missing);
        has_config || compile_commands::places(folder).any(|file| !file.symlink_metadata().is_err_and(is_missing))
    }

    /// The file in the nearest parent of an absolute folder; the default if there is none.
    ///
    /// # Errors
    /// The file, if it is unreadable or invalid, or a link to a file elsewhere: messages quote its text.
    pub fn near(folder: &Path) -> Result<Self, InvalidConfig> {
        let commands = compile_commands::nearest(folder);
        for folder in folder.ancestors() {
            let file = folder.join(FILE_NAME);
            if leads_out(&file) {
                let error = io::Error::other("symbolic link out of the folder and its repository");
                return Err(InvalidConfig::unreadable(file, &error));
            }
            match read::settings_of_folder(&file) {
                Ok(text) => return Ok(ProjectConfig { commands, ..Self::parse(file, &text)? }),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(error) => return Err(InvalidConfig::unreadable(file, &error)),
            }
        }
        Ok(ProjectConfig { commands, ..ProjectConfig::default() })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As those of [`Self::near`].
    pub fn at(file: &Path) -> Result<Self, InvalidConfig> {
        let text = read::settings(file).map_err(|error| InvalidConfig::unreadable(file.to_owned(), &error))?;
        Self::parse(std::path::absolute(file).unwrap_or_else(|_| file.to_owned()), &text)
    }

    /// Parses a text as if it were a file, without a compilation database.
    ///
    /// # Errors
    /// As those of [`Self::near`].
    pub fn parse(file: PathBuf, text: &str) -> Result<Self, InvalidConfig> {
        let folder = file.parent().unwrap_or(Path::new("/"));
        let invalid = |errors| InvalidConfig { file: file.clone(), text: text.to_owned(), errors };
        let checked = with_patterns(config::check(text));
        if !checked.errors.is_empty() {
            return Err(invalid(checked.errors));
        }
        let contents = with_origins(config::parse(text).map_err(invalid)?, &file, text, &checked);
        let compile = |patterns: &[String]| {
            compile(folder, patterns).map_err(|message| invalid(vec![ConfigError { range: 0..0, message }]))
        };
        let patterns = Arc::new(Patterns {
            include: compile(&contents.include)?,
            exclude: compile(&contents.exclude)?,
            overrides: contents.overrides.iter().map(|over| compile(&over.paths)).collect::<Result<_, _>>()?,
        });
        Ok(ProjectConfig { file: Some(file), contents, patterns, commands: Arc::default() })
    }

    /// The settings of a source with an absolute path.
    pub fn settings_for(&self, path: &Path) -> Settings {
        let settings = self.contents.settings_for(|number| self.matches(&self.patterns.overrides[number], path));
        match self.commands.targets(path) {
            Some(build) => settings.or(&build.clone().with_origin(SettingOrigin::CompileCommands)),
            None => settings,
        }
    }

    /// Whether a file in a folder is included and not excluded.
    pub fn includes(&self, path: &Path) -> bool {
        let Patterns { include, exclude, .. } = &*self.patterns;
        (self.contents.include.is_empty() || self.matches(include, path)) && !self.matches(exclude, path)
    }

    /// Whether patterns match an absolute path or one of its parents, as in a `.gitignore` next to the settings file.
    fn matches(&self, patterns: &Gitignore, path: &Path) -> bool {
        let Some(folder) = self.file.as_ref().and_then(|file| file.parent()) else { return false };
        path.starts_with(folder) && patterns.matched_path_or_any_parents(path, false).is_ignore()
    }
}

/// The compiled patterns of a settings file.
#[derive(Debug)]
struct Patterns {
    include: Gitignore,
    exclude: Gitignore,
    overrides: Vec<Gitignore>,
}

impl Default for Patterns {
    fn default() -> Self {
        Patterns { include: Gitignore::empty(), exclude: Gitignore::empty(), overrides: Vec::new() }
    }
}

fn compile(folder: &Path, patterns: &[String]) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new(folder);
    for pattern in patterns {
        builder.add_line(None, pattern).map_err(|error| format!("invalid pattern `{pattern}`: {error}"))?;
    }
    builder.build().map_err(|error| format!("invalid patterns: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_for(path: &Path) -> Result<Settings, InvalidConfig> {
        Ok(ProjectConfig::near(path.parent().expect("is in a folder"))?.settings_for(path))
    }

    /// A temporary folder.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("ptx-atomics-{name}-{}", std::process::id()));
            std::fs::create_dir_all(path.join("inner/deep")).expect("can be made");
            Folder(path)
        }

        fn write(&self, file: &str, text: &str) {
            std::fs::write(self.0.join(file), text).expect("can be written");
        }

        fn target(&self, source: &str) -> String {
            let settings = settings_for(&self.0.join(source)).expect("can be used");
            settings.target.map(|target| target.name().to_owned()).unwrap_or_default()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn only_the_nearest_file_applies() {
        let folder = Folder::new("nearest");
        assert_eq!(settings_for(&folder.0.join("a.ptx")), Ok(Settings::default()));
        folder.write("ptx-atomics.toml", "target = \"sm_70\"\nptx-version = \"7.0\"\n");
        assert_eq!((folder.target("a.ptx").as_str(), folder.target("inner/deep/a.ptx").as_str()), ("sm_70", "sm_70"));
        folder.write("inner/ptx-atomics.toml", "target = \"sm_90\"\n");
        assert_eq!((folder.target("a.ptx").as_str(), folder.target("inner/deep/a.ptx").as_str()), ("sm_70", "sm_90"));
        assert_eq!(settings_for(&folder.0.join("inner/a.ptx")).expect("can be used").version, None);
    }

    #[test]
    fn targets_come_from_the_compilation_database_if_the_file_sets_none() {
        let folder = Folder::new("commands");
        let entry = |file: &str, arch: &str| {
            format!(
                "{{\"directory\": {:?}, \"file\": \"{file}\", \"command\": \"nvcc -arch={arch} {file}\"}}",
                folder.0
            )
        };
        std::fs::create_dir_all(folder.0.join("build")).expect("can be made");
        folder.write(
            "build/compile_commands.json",
            &format!("[{}, {}]", entry("a.cu", "sm_80"), entry("inner/b.cu", "sm_90")),
        );
        assert_eq!(
            (folder.target("a.cu").as_str(), folder.target("inner/b.cu").as_str(), folder.target("c.cu").as_str()),
            ("sm_80", "sm_90", "")
        );
        std::fs::create_dir_all(folder.0.join("inc/detail")).expect("can be made");
        folder.write("a.cu", "#include \"own.cuh\"\n#include <detail/both.h>\n");
        folder.write("inner/b.cu", "#  include \"../inc/detail/both.h\"\n");
        folder.write("own.cuh", "#pragma once\n");
        folder.write("inc/detail/both.h", "#include \"deep.h\"\n#include \"both.h\"\n#include \"missing.h\"\n");
        folder.write("inc/detail/deep.h", "");
        folder.write("inc/nobody.h", "");
        let wide = |file: &str, arch: &str| {
            entry(file, arch).replace("nvcc ", &format!("nvcc -I {}/inc ", folder.0.display()))
        };
        folder.write("compile_commands.json", &format!("[{}, {}]", wide("a.cu", "sm_80"), wide("inner/b.cu", "sm_90")));
        let all = |source: &str| {
            let settings = settings_for(&folder.0.join(source)).expect("can be used");
            settings
                .target
                .iter()
                .chain(&settings.additional_targets)
                .map(|target| target.name())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let headers = ["own.cuh", "inc/detail/both.h", "inc/detail/deep.h", "inc/nobody.h"];
        assert_eq!(headers.map(all), ["sm_80", "sm_80 sm_90", "sm_80 sm_90", ""]);
        folder.write("compile_commands.json", &format!("[{}]", wide("a.cu", "sm_80")));
        assert_eq!(all("inc/nobody.h"), "sm_80", "all sources agree");
        assert_eq!(all("inc/nobody.ptx"), "", "a module says itself what it is for");
        folder.write("inner/ptx-atomics.toml", "target = \"sm_100\"\n");
        assert_eq!((folder.target("a.cu").as_str(), folder.target("inner/b.cu").as_str()), ("sm_80", "sm_100"));
    }

    #[test]
    fn patterns_are_those_of_a_gitignore() {
        let folder = Folder::new("patterns");
        folder.write(
            "ptx-atomics.toml",
            "target = \"sm_80\"\nexclude = [\"deep/\", \"!deep/b.ptx\"]\n[[overrides]]\npaths = [\"inner/**/*.ptx\"]\ntarget = \"sm_90\"\n",
        );
        assert_eq!((folder.target("a.ptx").as_str(), folder.target("inner/deep/a.ptx").as_str()), ("sm_80", "sm_90"));
        let config = ProjectConfig::near(&folder.0).expect("can be used");
        assert!(config.includes(&folder.0.join("a.ptx")));
        assert!(!config.includes(&folder.0.join("inner/deep/a.ptx")));
        folder.write("ptx-atomics.toml", "include = [\"/inner\"]\n");
        let config = ProjectConfig::near(&folder.0.join("inner")).expect("can be used");
        assert!(config.includes(&folder.0.join("inner/a.ptx")) && !config.includes(&folder.0.join("a.ptx")));
        folder.write("ptx-atomics.toml", "include = [\"a{\"]\n");
        assert!(
            ProjectConfig::near(&folder.0).is_err_and(|invalid| invalid.messages()[0].contains("invalid pattern `a{`"))
        );
    }

    #[test]
    fn an_invalid_file_is_reported_with_its_path() {
        let folder = Folder::new("unusable");
        folder.write("inner/ptx-atomics.toml", "taget = \"sm_90\"\n");
        let invalid = settings_for(&folder.0.join("inner/a.ptx")).expect_err("an unknown key");
        assert_eq!(invalid.file, folder.0.join("inner/ptx-atomics.toml"));
        assert!(invalid.messages()[0].contains("line 1: unknown key `taget`"), "{invalid:?}");
    }
}
