//! `check --any-size`: what is known of all launches of kernels.

use super::question::KernelVerdict;
use super::source::{self, ModuleSource};
use super::{RunArguments, RunOutput, module_on, without_errors};
use crate::exit::Exit;
use crate::output::{EscapeStyle, SCHEMA, print_as};
use kernel::any_size::{AnySizeProof, LaunchSizes, NamedAssumption, UnknownAccess, assume};
use kernel::{Kernel, KernelModule};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::ops::Range;
use syntax::{LintFile, readable};

/// Proves kernels of a module.
///
/// # Errors
/// The module or a kernel cannot be read.
pub fn check(arguments: &RunArguments, conditions: &[String]) -> Result<Exit, String> {
    let options = &arguments.launch;
    let ModuleSource { name, text, source } =
        ModuleSource::compiled(&options.file, &options.compiler, options.kernel.as_deref())?;
    let snapshot = without_errors(&name, &text)?;
    let module = module_on(&name, &snapshot, options.gpu)?;
    let known = Kernel::names(&snapshot.file);
    let kernels = match &options.kernel {
        Some(kernel) => vec![source::named_kernel(&name, &known, kernel)?],
        None if known.is_empty() => return Err(format!("{name}: the module has no kernel")),
        None => known,
    };
    let mut module = KernelModule::of(&snapshot.file, module).with_source_names(&source.names);
    let mut exit = Exit::Clean;
    for kernel in kernels {
        let failed = |message: String| format!("{name}: {}: {message}", readable(&kernel));
        let mut sizes = LaunchSizes::ALL;
        for condition in conditions {
            assume(&mut sizes, condition, &mut module, &kernel).map_err(failed)?;
        }
        let proof = module.prove_any_size(&kernel, &sizes).map_err(|error| failed(error.message))?;
        let report = AnySizeReport { path: &name, kernel: &kernel, file: &snapshot.file, proof: &proof, conditions };
        exit = exit.max(report.verdict().exit());
        match arguments.format {
            RunOutput::Text => print_as(EscapeStyle::Text, &report.text())?,
            RunOutput::Json => print_as(EscapeStyle::Json, &report.json())?,
        }
    }
    Ok(exit)
}

struct AnySizeReport<'r> {
    path: &'r str,
    kernel: &'r str,
    file: &'r LintFile,
    proof: &'r AnySizeProof,
    /// What the user supposes.
    conditions: &'r [String],
}

impl AnySizeReport<'_> {
    const fn verdict(&self) -> KernelVerdict {
        if self.proof.unknown.is_empty() { KernelVerdict::Proved } else { KernelVerdict::Unknown }
    }

    /// The line and the column of an instruction, from 1 on.
    fn position(&self, range: &Range<usize>) -> (usize, usize) {
        let position = self.file.position(range.start);
        (position.line + 1, position.column + 1)
    }

    fn text(&self) -> String {
        let name = readable(self.kernel);
        let mut text = match self.verdict() {
            KernelVerdict::Proved => format!("proved: no launch of `{name}` has a data race\n"),
            KernelVerdict::Unknown | KernelVerdict::Refuted => {
                format!("unknown: a launch of `{name}` may have a data race\n")
            }
        };
        for unknown in &self.proof.unknown {
            let (line, column) = self.position(&unknown.range);
            let other = unknown.other.as_ref().map(|other| format!(" (line {})", self.position(other).0));
            let message = unknown.message();
            let _ = writeln!(text, "{}:{line}:{column}: {message}{}", self.path, other.unwrap_or_default());
        }
        for condition in self.conditions {
            let _ = writeln!(text, "  given: {condition}");
        }
        for assumption in &self.proof.assumptions {
            let line = assumption.range.as_ref().map(|range| format!(" (line {})", self.position(range).0));
            let _ = writeln!(text, "  assumed: {}{}", assumption.condition, line.unwrap_or_default());
        }
        text
    }

    fn json(&self) -> String {
        let unknown = |one: &UnknownAccess| {
            let (line, column) = self.position(&one.range);
            let other = one.other.as_ref().map(|other| self.position(other).0);
            json!({ "kind": one.name(), "line": line, "column": column, "message": one.message(), "other_line": other })
        };
        let assumption = |one: &NamedAssumption| {
            let line = one.range.as_ref().map(|range| self.position(range).0);
            json!({ "kind": one.kind.name(), "condition": one.condition, "line": line })
        };
        let output: Json = json!({
            "schema": SCHEMA,
            "path": self.path,
            "kernel": self.kernel,
            "verdict": self.verdict().name(),
            "pairs": self.proof.result.pairs,
            "given": self.conditions,
            "assumptions": self.proof.assumptions.iter().map(assumption).collect::<Vec<_>>(),
            "unknown": self.proof.unknown.iter().map(unknown).collect::<Vec<_>>(),
        });
        format!("{output}\n")
    }
}
