//! Finding and starting the compiler of CUDA C++, for the commands that are given a source and need its PTX.
//!
//! The program is one that the user's command line or environment names. No file and no setting can name one, and the server and the linter compile
//! nothing.

use crate::read;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program.
const NVCC: &str = if cfg!(windows) { "nvcc.exe" } else { "nvcc" };

/// The environment variables with a folder of a CUDA toolkit.
const TOOLKITS: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];

/// A compiler of CUDA C++.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaCompiler {
    program: PathBuf,
}

/// A compilation that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCompilation {
    /// What the compiler said.
    pub output: String,
    /// Why there is no PTX, without a full stop.
    pub reason: String,
}

impl CudaCompiler {
    /// The named compiler, or the first one in `CUDA_HOME`, `CUDA_PATH`, the absolute folders of `PATH`, and the wheels beside the programs there.
    ///
    /// # Errors
    /// A message for users: which places were searched, and how to install one.
    pub fn find(named: Option<&Path>) -> Result<Self, String> {
        if let Some(program) = named {
            return Ok(Self { program: program.to_owned() });
        }
        let toolkits =
            TOOLKITS.iter().filter_map(env::var_os).map(|toolkit| Path::new(&toolkit).join("bin").join(NVCC));
        let path = env::var_os("PATH").unwrap_or_default();
        // A relative folder would be one of the repository.
        let folders: Vec<PathBuf> = env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        let programs = folders.iter().map(|folder| folder.join(NVCC));
        let wheels = env::var_os("VIRTUAL_ENV").map(PathBuf::from).into_iter().filter(|folder| folder.is_absolute());
        let wheels = wheels.chain(folders.iter().filter_map(|folder| Some(folder.parent()?.to_owned())));
        let found = toolkits.chain(programs).find(|program| program.is_file());
        let program = found.or_else(|| wheels.flat_map(|folder| in_wheels(&folder)).next());
        program.map(|program| Self { program }).ok_or_else(|| {
            "no nvcc in `CUDA_HOME`, `CUDA_PATH`, `PATH` or the wheels of its Python; install one, such as with `pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-cuda-cccl nvidia-cuda-runtime nvidia-nvvm`, or name it with --nvcc".to_owned()
        })
    }

    /// The command that compiles a source to a file with PTX and line information.
    fn words(&self, source: &Path, flags: &[OsString], ptx: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = ["-ptx", "-lineinfo", "-o"].map(OsString::from).into();
        words.push(ptx.into());
        words.extend_from_slice(flags);
        words.push(source.into());
        words
    }

    /// The command as people would write it.
    pub fn command(&self, source: &Path, flags: &[OsString]) -> String {
        let words = self.words(source, flags, Path::new("FILE.ptx"));
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        format!("{} {}", self.program.display(), words.join(" "))
    }

    /// Compiles a source to a file with PTX.
    ///
    /// # Errors
    /// [`FailedCompilation`] if the compiler does not start or fails.
    pub fn compile(&self, source: &Path, flags: &[OsString], ptx: &Path) -> Result<String, FailedCompilation> {
        let failed = |output: &[u8], reason: String| FailedCompilation {
            output: String::from_utf8_lossy(output).into_owned(),
            reason,
        };
        // An absolute path is no option.
        let source = source.canonicalize().map_err(|error| failed(&[], read::reason(&error)))?;
        let done = Command::new(&self.program).args(self.words(&source, flags, ptx)).output();
        let done = done.map_err(|error| {
            failed(&[], format!("cannot start `{}`: {}", self.program.display(), read::reason(&error)))
        })?;
        let output = [&done.stdout[..], &done.stderr[..]].concat();
        if !done.status.success() {
            return Err(failed(&output, format!("`{}` failed", self.program.display())));
        }
        read::text(ptx).map_err(|_| failed(&output, format!("`{}` has written no PTX", self.program.display())))
    }
}

/// The compilers in the wheels of a Python whose folder has `lib/python3.11`, the newest first.
fn in_wheels(prefix: &Path) -> Vec<PathBuf> {
    let pythons = entries(&prefix.join("lib"), "python3");
    let packages = pythons.iter().flat_map(|python| entries(&python.join("site-packages/nvidia"), "cu"));
    let mut found: Vec<PathBuf> =
        packages.map(|package| package.join("bin").join(NVCC)).filter(|program| program.is_file()).collect();
    found.sort();
    found.reverse();
    found
}

/// The entries of a folder whose names begin with a word.
fn entries(folder: &Path, begin: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let has_begin =
        |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(begin));
    all.filter(has_begin).collect()
}
