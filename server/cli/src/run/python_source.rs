//! The modules that compilers have made of the kernels of a file of Python: those in Triton's cache, or those of an execution that the command line asks for.

use crate::exit::warn;
use crate::output;
use project::read;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The program that executes a file and writes its modules.
const EXECUTE: &str = include_str!("execute.py");

/// The names of the interpreter.
const INTERPRETERS: [&str; 2] = if cfg!(windows) { ["python.exe", "python3.exe"] } else { ["python3", "python"] };

/// The most folders and files of a cache that are looked at.
const MAX_ENTRIES: usize = 100_000;

/// The most lines of a failed execution that are shown.
const MOST_LINES: usize = 20;

/// What the command line says about files of Python.
#[derive(Clone, Copy, Debug)]
pub struct PythonOptions {
    /// Whether one may be executed.
    pub executes: bool,
    /// Whether the command is shown that does it.
    pub is_verbose: bool,
}

/// A module of a file.
struct FoundModule {
    text: String,
    modified: SystemTime,
}

/// The module with a kernel of a file of Python, or with its only kernel.
///
/// # Errors
/// A message for users; what a failed execution says is printed before.
pub fn module(path: &Path, options: PythonOptions, kernel: Option<&str>) -> Result<String, String> {
    let name = path.display();
    let absolute = path.canonicalize().map_err(|error| format!("cannot read {name}: {}", read::reason(&error)))?;
    let mut found = if options.executes { executed(path, options)? } else { cached(&absolute)? };
    found.sort_by_key(|one| std::cmp::Reverse(one.modified));
    let named = |text: &str| kernels(text).any(|one| kernel.is_none_or(|kernel| kernel == one));
    let mut modules = found.iter().filter(|one| named(&one.text));
    let Some(newest) = modules.next() else { return Err(missing(path, options, kernel, &found)) };
    let all = |one: &FoundModule| kernels(&one.text).map(str::to_owned).collect::<Vec<_>>();
    let mut others: Vec<String> = modules.flat_map(all).filter(|one| !all(newest).contains(one)).collect();
    others.extend(all(newest));
    others.sort();
    others.dedup();
    // Of a kernel that was compiled several times, the newest module counts.
    if kernel.is_none() && others.len() > 1 {
        return Err(format!("{name}: several kernels; choose one with --kernel: {}", others.join(", ")));
    }
    warn_of_lines(path, newest, options);
    Ok(newest.text.clone())
}

/// Says why lines of the file are not those of the module, if they are not.
fn warn_of_lines(path: &Path, module: &FoundModule, options: PythonOptions) {
    let name = path.display();
    let changed = fs::metadata(path).and_then(|data| data.modified()).is_ok_and(|changed| changed > module.modified);
    if changed && !options.executes {
        warn(format!("{name} has changed since its kernels were compiled: lines may be others"));
    }
    if !module.text.contains("\t.loc") && !module.text.contains("\n.loc") {
        warn(format!("the module of {name} has no line information: problems are at the lines of its PTX"));
    }
}

/// Why there is no module.
fn missing(path: &Path, options: PythonOptions, kernel: Option<&str>, found: &[FoundModule]) -> String {
    let name = path.display();
    let known: Vec<&str> = found.iter().flat_map(|one| kernels(&one.text)).collect();
    match kernel {
        Some(kernel) if !known.is_empty() => {
            format!("{name}: no kernel `{kernel}`; compiled were {}", known.join(", "))
        }
        _ if options.executes => format!("{name}: no compiler of kernels has written a module while it was executed"),
        _ => format!(
            "{name}: no module of it in {}; execute it once, or with --execute here, which starts Python",
            cache_folder().map_or_else(|| "a cache of Triton".to_owned(), |folder| folder.display().to_string())
        ),
    }
}

/// The names of the kernels of a module.
fn kernels(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split(".entry").skip(1).map(|rest| rest.trim_start());
    names.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && !"_$".contains(c)).next())
}

/// The folder of Triton's cache.
fn cache_folder() -> Option<PathBuf> {
    let named = env::var_os("TRITON_CACHE_DIR").map(PathBuf::from);
    let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".triton").join("cache"));
    named.or_else(home)
}

/// The modules in the cache whose line information names a file.
fn cached(file: &Path) -> Result<Vec<FoundModule>, String> {
    let Some(folder) = cache_folder() else { return Ok(Vec::new()) };
    let mut found = modules_in(&folder);
    let name = file.to_str().ok_or("the path is not UTF-8")?;
    found.retain(|one| one.text.lines().any(|line| names_file(line, name)));
    Ok(found)
}

/// Whether a line is a directive `.file` with a path: as a whole, or as a folder and a name in it.
fn names_file(line: &str, path: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix(".file") else { return false };
    let mut quoted = rest.split('"').skip(1).step_by(2);
    let (first, second) = (quoted.next().unwrap_or_default(), quoted.next());
    match second {
        Some(name) => Path::new(first).join(name) == Path::new(path),
        None => first == path,
    }
}

/// The modules of PTX below a folder.
fn modules_in(folder: &Path) -> Vec<FoundModule> {
    let (mut waiting, mut found, mut entries) = (vec![folder.to_owned()], Vec::new(), 0);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if entries > MAX_ENTRIES {
                return found;
            }
            if kind.is_dir() {
                waiting.push(path);
            } else if kind.is_file() && path.extension() == Some(OsStr::new("ptx")) {
                let modified = entry.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
                found.extend(read::regular_file(&path).ok().map(|text| FoundModule { text, modified }));
            }
        }
    }
    found
}

/// The modules that an execution of a file makes.
fn executed(path: &Path, options: PythonOptions) -> Result<Vec<FoundModule>, String> {
    let failed = |reason: String| format!("cannot execute {}: {reason}", path.display());
    let python = interpreter().ok_or_else(|| failed("no python3 in `VIRTUAL_ENV` or `PATH`".to_owned()))?;
    let folder = tempfile::tempdir().map_err(|error| failed(read::reason(&error)))?;
    let program = folder.path().join("execute.py");
    fs::write(&program, EXECUTE).map_err(|error| failed(read::reason(&error)))?;
    let mut command = Command::new(&python);
    command.arg(&program).arg(folder.path()).arg(path);
    command.env("TRITON_CACHE_DIR", folder.path().join("triton"));
    command.env("CUTE_DSL_DUMP_DIR", folder.path()).env("CUTE_DSL_KEEP", "ptx");
    if options.is_verbose {
        output::say(&format!("{} {}", python.display(), path.display()));
    }
    let done = command.output().map_err(|error| failed(format!("{}: {}", python.display(), read::reason(&error))))?;
    let found = modules_in(folder.path());
    if found.is_empty() && !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let lines: Vec<&str> = said.lines().collect();
        lines[lines.len().saturating_sub(MOST_LINES)..].iter().for_each(|line| output::say(line));
        return Err(failed(format!("`{}` failed", python.display())));
    }
    Ok(found)
}

/// The interpreter of the environment, or the first one in absolute folders of `PATH`: a relative one would be of the repository.
fn interpreter() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let bin = if cfg!(windows) { "Scripts" } else { "bin" };
    let own = env::var_os("VIRTUAL_ENV").map(|folder| Path::new(&folder).join(bin)).into_iter();
    let folders: Vec<PathBuf> = own.chain(env::split_paths(&path)).filter(|folder| folder.is_absolute()).collect();
    let programs = folders.iter().flat_map(|folder| INTERPRETERS.map(|name| folder.join(name)));
    programs.into_iter().find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_name_files() {
        assert!(names_file("\t.file\t1 \"/a/b.py\"", "/a/b.py"));
        assert!(names_file(".file 1 \"/a\" \"b.py\"", "/a/b.py"));
        assert!(!names_file(".file 1 \"/a\" \"c.py\"", "/a/b.py"));
        assert!(!names_file("// /a/b.py", "/a/b.py"));
    }

    #[test]
    fn kernels_are_entries() {
        let text = ".visible .entry add(\n.param .u64 p) {}\n.entry $k_1() {}";
        assert_eq!(kernels(text).collect::<Vec<_>>(), ["add", "$k_1"]);
    }
}
