//! The module that a command is about: PTX, or CUDA C++ that a compiler makes PTX of, with the names that its author gave.

use super::at_source::CompiledSource;
use super::python_source::{self, PythonOptions};
use crate::output;
use clap::Args;
use hosts::Language;
use hosts::cpp::{CppKernel, CppParameter, CppParameterType, CppVariable, LaunchingCode, kernels, variables};
use hosts::inline_asm::HostLanguage;
use kernel::{Kernel, SourceNames, SourceParameter, SourceParameters, SourceVariable};
use project::compile_commands::compiler_options;
use project::compiler::{CudaCompiler, FailedCompilation};
use project::read;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syntax::{LintFile, demangle, readable};

/// How a source is compiled.
#[derive(Args, Clone, Debug, Default)]
pub struct CompilerOptions {
    /// Compiler of CUDA C++ [default: nvcc of CUDA_HOME, CUDA_PATH, PATH, or the wheels of PyPI]
    #[arg(long, value_name = "PROGRAM")]
    nvcc: Option<PathBuf>,
    /// Show the command that compiles a source
    #[arg(long)]
    verbose: bool,
    /// Show problems of a source that is compiled at the lines of its PTX
    #[arg(long)]
    ptx: bool,
    /// Execute a file of Python, to get the modules that it compiles; otherwise Triton's cache has them
    #[arg(long)]
    execute: bool,
    /// Options of the compiler, such as -arch=sm_90
    #[arg(last = true, value_name = "FLAG")]
    flags: Vec<OsString>,
}

/// The most lines of a compiler's messages that are shown.
const MOST_LINES: usize = 40;

/// Options that name a target.
const TARGETS: [&str; 4] = ["-arch", "--gpu-architecture", "-gencode", "--generate-code"];

/// The text of a module.
#[derive(Clone, Debug)]
pub struct ModuleSource {
    /// Its name in messages.
    pub name: String,
    /// PTX.
    pub text: String,
    /// Its source.
    pub source: KernelSource,
}

/// How much of a launch in a source is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridPart {
    /// The whole grid.
    #[default]
    Whole,
    /// Few blocks of it, and few elements for each thread.
    Few,
    /// One block, and one element for each thread.
    One,
}

/// What is known of the source of a module.
#[derive(Clone, Debug, Default)]
pub struct KernelSource {
    /// The names that it has.
    pub names: SourceNames,
    /// Its text, if a command has compiled it and shows problems there.
    pub compiled: Option<Arc<CompiledSource>>,
    /// The code of the host, which launches kernels.
    pub host: Option<Arc<LaunchingCode>>,
    /// How much of one is taken.
    pub grid: GridPart,
}

impl ModuleSource {
    /// A module of PTX.
    ///
    /// # Errors
    /// A message for users.
    pub fn read(path: &Path) -> Result<Self, String> {
        let (language, text) = in_language(path)?;
        Self::of_ptx(path, language, text)
    }

    fn of_ptx(path: &Path, language: Language, text: String) -> Result<Self, String> {
        let name = path.display().to_string();
        match language {
            Language::Ptx => Ok(Self { name, text, source: KernelSource::default() }),
            Language::Host(HostLanguage::Cpp) if !read::is_stdin(path) => Err(format!(
                "cannot run {name}: expected PTX, found C++; compile it first: `nvcc -ptx -lineinfo {name}`"
            )),
            _ => Err(format!("cannot run {name}: expected PTX")),
        }
    }

    /// A module of PTX, or of a source that is compiled.
    ///
    /// # Errors
    /// A message for users; what the compiler says is printed before.
    pub fn compiled(path: &Path, options: &CompilerOptions, kernel: Option<&str>) -> Result<Self, String> {
        let (language, text) = in_language(path)?;
        match language {
            _ if read::is_stdin(path) => Self::of_ptx(path, language, text),
            Language::Host(HostLanguage::Cpp) => Self::compile(path, &text, options),
            Language::Host(HostLanguage::Python) => Self::of_python(path, &text, options, kernel),
            _ if options.flags.is_empty() => Self::of_ptx(path, language, text),
            _ => Err(format!("{} is not compiled: options after `--` are those of a compiler", path.display())),
        }
    }

    fn of_python(path: &Path, source: &str, options: &CompilerOptions, kernel: Option<&str>) -> Result<Self, String> {
        let python = PythonOptions { executes: options.execute, is_verbose: options.verbose };
        let text = python_source::module(path, python, kernel)?;
        let absolute = path.canonicalize().map_err(|error| read::reason(&error))?;
        let compiled = CompiledSource { path: path.to_owned(), absolute, text: source.to_owned() };
        let compiled = (!options.ptx).then(|| Arc::new(compiled));
        let source = KernelSource { compiled, ..KernelSource::default() };
        Ok(Self { name: format!("{}.ptx", path.display()), text, source })
    }

    fn compile(path: &Path, source: &str, options: &CompilerOptions) -> Result<Self, String> {
        let name = path.display();
        let failed = |reason: String| format!("cannot compile {name}: {reason}");
        let compiler = CudaCompiler::find(options.nvcc.as_deref()).map_err(failed)?;
        let absolute = path.canonicalize().map_err(|error| failed(read::reason(&error)))?;
        let flags = with_options_of_build(&options.flags, &absolute);
        if options.verbose {
            output::say(&compiler.command(path, &flags));
        }
        let folder = tempfile::tempdir().map_err(|error| failed(read::reason(&error)))?;
        let text = compiler.compile(path, &flags, &folder.path().join("module.ptx"));
        let text = text.map_err(|FailedCompilation { output, reason }| {
            output.lines().take(MOST_LINES).for_each(output::say);
            failed(reason)
        })?;
        let names = SourceNames {
            parameters: parameters(&LintFile::parse(&text), &kernels(source)),
            variables: variables(source).into_iter().map(source_variable).collect(),
        };
        let compiled = CompiledSource { path: path.to_owned(), absolute, text: source.to_owned() };
        let compiled = (!options.ptx).then(|| Arc::new(compiled));
        let host = Some(Arc::new(LaunchingCode::new(source)));
        let source = KernelSource { names, compiled, host, grid: GridPart::Whole };
        Ok(Self { name: format!("{name}.ptx"), text, source })
    }
}

/// The options of the command line, behind those of the build that say something else.
fn with_options_of_build(flags: &[OsString], source: &Path) -> Vec<OsString> {
    let says = |names: &[&str]| {
        let begins =
            |flag: &OsString| flag.to_str().is_some_and(|flag| names.iter().any(|name| flag.starts_with(name)));
        flags.iter().any(begins)
    };
    let (has_target, has_standard) = (says(&TARGETS), says(&["-std", "--std"]));
    let is_free =
        |option: &String| !(has_target && option.starts_with("-arch") || has_standard && option.starts_with("-std"));
    let of_build = compiler_options(source).into_iter().filter(is_free).map(OsString::from);
    of_build.chain(flags.iter().cloned()).collect()
}

/// The language of a file, and its text.
fn in_language(path: &Path) -> Result<(Language, String), String> {
    read::in_language(path, read::text(path)?)
        .map_err(|other| format!("cannot run {}: {other} is not supported", path.display()))
}

fn source_variable(CppVariable { name, element, lengths }: CppVariable) -> SourceVariable {
    SourceVariable::new(name, element.map(|one| one.ty), element.map_or(1, |one| one.lanes), lengths)
}

/// The kernels of a module with what the source, or their mangled name, says about their parameters, where that is certain.
fn parameters(file: &LintFile, written: &[CppKernel]) -> SourceParameters {
    let of_kernel = |kernel: String| {
        let readable = readable(&kernel);
        let base = base_name(&readable);
        let lists = written.iter().filter(|one| one.name == base).map(|one| one.parameters.clone());
        let known = lists.reduce(common_parameters)?;
        let mangled = mangled_types(&kernel).filter(|types| types.len() == known.len());
        let parameter = |(at, CppParameter { name, ty }): (usize, CppParameter)| {
            let ty = mangled.as_ref().map_or(ty, |types| types[at]);
            SourceParameter {
                name: name.unwrap_or_else(|| at.to_string()),
                ty: ty.map(|one| one.ty.to_owned()),
                is_pointer: ty.is_some_and(|one| one.is_pointer),
            }
        };
        let parameters = known.into_iter().enumerate().map(parameter).collect();
        Some((kernel, parameters))
    };
    Kernel::names(file).into_iter().filter_map(of_kernel).collect()
}

/// The types of the parameters of a kernel by its mangled name, which has the arguments of templates.
fn mangled_types(kernel: &str) -> Option<Vec<Option<CppParameterType>>> {
    let full = demangle(kernel)?.full;
    let list = full.strip_suffix(')')?;
    let begin = list.rfind('(')?;
    let list = &list[begin + 1..];
    (!list.contains(['(', '<'])).then(|| list.split(", ").map(CppParameterType::read).collect())
}

/// What two declarations of a kernel say about its parameters: nothing, where they are of overloads or of a choice of the preprocessor.
fn common_parameters(one: Vec<CppParameter>, other: Vec<CppParameter>) -> Vec<CppParameter> {
    if one.len() != other.len() {
        return Vec::new();
    }
    let common = |(one, other): (CppParameter, CppParameter)| CppParameter {
        name: match (one.name, other.name) {
            (Some(one), Some(other)) => (one == other).then_some(one),
            (one, other) => one.or(other),
        },
        ty: one.ty.filter(|ty| other.ty == Some(*ty)),
    };
    one.into_iter().zip(other).map(common).collect()
}

/// The name without namespaces and template arguments.
pub fn base_name(readable: &str) -> &str {
    let name = readable.split('<').next().unwrap_or(readable);
    name.rsplit("::").next().unwrap_or(name)
}

/// The kernel that a name means: its own, that of its source, or a part of that which means no other one.
pub fn named_kernel(module: &str, known: &[String], name: &str) -> Result<String, String> {
    let spaceless = |text: &str| text.replace(' ', "");
    let is_meant = |kernel: &&String| {
        let readable = readable(kernel);
        let without_arguments = readable.split('<').next().unwrap_or(&readable);
        let is_whole = |readable: &str| spaceless(readable) == spaceless(name);
        let without_namespaces = || &readable[without_arguments.len() - base_name(&readable).len()..];
        is_whole(&readable)
            || is_whole(without_namespaces())
            || without_arguments == name
            || base_name(&readable) == name
    };
    if known.iter().any(|kernel| kernel == name) {
        return Ok(name.to_owned());
    }
    let meant: Vec<String> = known.iter().filter(is_meant).cloned().collect();
    match &meant[..] {
        [only] => Ok(only.clone()),
        [] if known.iter().any(|kernel| readable(kernel) != **kernel) => {
            Err(format!("{module}: no kernel `{name}`; choose one with --kernel: {}", listed(known)))
        }
        // The module says which kernels it has.
        [] => Ok(name.to_owned()),
        _ => Err(format!("{module}: `{name}` means several kernels; choose one with --kernel: {}", listed(&meant))),
    }
}

/// Kernels by the names that can be written, those of the source where there are some.
pub fn listed(kernels: &[String]) -> String {
    let names: Vec<_> = kernels.iter().map(|kernel| readable(kernel)).collect();
    let is_certain = |name: &str| names.iter().filter(|other| *other == name).count() == 1;
    let written = names.iter().zip(kernels).map(|(name, kernel)| if is_certain(name) { name } else { kernel.as_str() });
    written.collect::<Vec<_>>().join(", ")
}
