//! The PTX and SASS of cubins, fat binaries, objects, libraries and executables, which `cuobjdump` of the CUDA toolkit extracts.

use hosts::Language;
use project::read;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// What files with machine code begin with: ELF, a fat binary, a static library.
const MAGIC: [&[u8]; 3] = [b"\x7fELF", b"\x50\xed\x55\xba", b"!<arch>\n"];

/// The folders of a CUDA toolkit, by environment variable.
const TOOLKITS: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];

/// The program that extracts device code.
const PROGRAM: &str = "cuobjdump";

/// The extracted texts of one file.
pub struct DeviceCode {
    /// The PTX and SASS files, in order.
    pub files: Vec<ExtractedFile>,
    /// Holds the files until it is dropped.
    _folder: TempDir,
}

/// An extracted text.
pub struct ExtractedFile {
    pub path: PathBuf,
    /// The name in the output: `a.out:kernel.sm_90.ptx`.
    pub shown: PathBuf,
}

/// Whether a file may contain device code: its name is not that of a language, and its first bytes are those of a binary file.
pub fn is_binary(path: &Path) -> bool {
    if Language::of_path(&path.to_string_lossy()).is_some() {
        return false;
    }
    let longest = MAGIC.iter().map(|magic| magic.len()).max().unwrap_or(0);
    read::head(path, longest as u64).is_ok_and(|head| MAGIC.iter().any(|magic| head.starts_with(magic)))
}

/// Extracts the PTX and SASS of a binary file.
///
/// # Errors
/// A message for the user: `cuobjdump` is not installed or fails, or there is no device code.
pub fn extract(path: &Path) -> Result<DeviceCode, String> {
    let failed = |reason: String| format!("cannot check {}: {reason}", path.display());
    let system = |error: std::io::Error| failed(read::reason(&error));
    let folder = tempfile::tempdir().map_err(system)?;
    // An absolute path is no option.
    let binary = path.canonicalize().map_err(system)?;
    let words = ["-xptx", "all", "-xelf", "all"].map(OsStr::new);
    run(folder.path(), &[&words[..], &[binary.as_os_str()]].concat()).map_err(failed)?;
    for cubin in entries(folder.path(), "cubin").map_err(system)? {
        let listing = run(folder.path(), &["-sass".as_ref(), cubin.as_os_str()]).map_err(failed)?;
        fs::write(cubin.with_extension("sass"), listing.stdout).map_err(system)?;
    }
    let mut texts = entries(folder.path(), "ptx").map_err(system)?;
    texts.extend(entries(folder.path(), "sass").map_err(system)?);
    if texts.is_empty() {
        return Err(failed("no PTX or SASS in this file".to_owned()));
    }
    let shown = |text: &Path| {
        let name = text.file_name().unwrap_or_default().to_string_lossy();
        PathBuf::from(format!("{}:{name}", path.display()))
    };
    let files = texts.into_iter().map(|path| ExtractedFile { shown: shown(&path), path }).collect();
    Ok(DeviceCode { files, _folder: folder })
}

/// The files of a folder with an extension, sorted by name.
fn entries(folder: &Path, extension: &str) -> std::io::Result<Vec<PathBuf>> {
    let all = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    let mut found: Vec<_> = all.into_iter().filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    found.sort();
    Ok(found)
}

/// Runs `cuobjdump` in a folder.
fn run(folder: &Path, arguments: &[&OsStr]) -> Result<Output, String> {
    let installed =
        TOOLKITS.iter().filter_map(std::env::var_os).map(|toolkit| Path::new(&toolkit).join("bin").join(PROGRAM));
    let programs = std::iter::once(PathBuf::from(PROGRAM)).chain(installed.filter(|path| path.is_file()));
    for program in programs {
        match Command::new(&program).args(arguments).current_dir(folder).output() {
            Ok(output) if output.status.success() => return Ok(output),
            Ok(output) => return Err(reason(&output)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("cannot run {}: {}", program.display(), read::reason(&error))),
        }
    }
    Err(format!(
        "binary file; to check its PTX and SASS, install `{PROGRAM}` of the CUDA toolkit, and add it to `PATH` or set `CUDA_HOME`"
    ))
}

/// The first line that a failed `cuobjdump` printed.
fn reason(output: &Output) -> String {
    let text = [&output.stderr[..], &output.stdout].concat();
    let text = String::from_utf8_lossy(&text);
    match text.lines().find(|line| !line.trim().is_empty()) {
        Some(line) if line.contains("does not contain device code") => "no PTX or SASS in this file".to_owned(),
        Some(line) => format!("{PROGRAM} failed: {}", line.trim()),
        None => format!("{PROGRAM} failed"),
    }
}
