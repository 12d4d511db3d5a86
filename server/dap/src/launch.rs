//! The launch configuration, and the kernel that it names.

use kernel::Kernel;
use kernel::arguments::launch_memory::BufferPlace;
use machine::GlobalMemory;
use program::{Dimensions, Launch};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::PathBuf;
use syntax::LintFile;

/// The arguments of the request `launch`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchConfiguration {
    /// The PTX module.
    pub program: PathBuf,
    /// The kernel; the only one by default.
    #[serde(default)]
    pub kernel: Option<String>,
    /// The launch as after `//! run`: the kernel, sizes and arguments. It takes the place of those of the other fields.
    #[serde(default)]
    pub launch: Option<String>,
    /// CTAs of the grid.
    #[serde(default, deserialize_with = "dimensions")]
    pub grid: Dimensions,
    /// Threads of a CTA; those that the kernel requires by default.
    #[serde(default, deserialize_with = "some_dimensions")]
    pub block: Option<Dimensions>,
    /// CTAs of a cluster; those that the kernel requires by default.
    #[serde(default, deserialize_with = "some_dimensions")]
    pub cluster: Option<Dimensions>,
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    pub shared: u32,
    /// Chooses the schedule.
    #[serde(default)]
    pub seed: u64,
    /// The arguments of the kernel, as `run` has them: `NAME=SPEC`.
    #[serde(default, deserialize_with = "arguments")]
    pub args: Vec<String>,
    /// The number of thread instructions after which the run is given up.
    #[serde(default = "default_limit")]
    pub max_instructions: u64,
    /// Whether the run stops before its first instruction.
    #[serde(default)]
    pub stop_on_entry: bool,
    /// Whether the kernel only runs: nothing but the client stops it.
    #[serde(default)]
    pub no_debug: bool,
    /// What a step is of.
    #[serde(default)]
    pub stepping: StepScope,
    /// The lines that are shown first, and that steps are of.
    #[serde(default)]
    pub lines: LineKind,
}

/// What a step is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepScope {
    /// The thread: the others go on as the schedule has it.
    #[default]
    Thread,
    /// The lanes of the warp that run together.
    Warp,
    /// Whatever runs next.
    Everything,
}

/// Lines of the module, or of the source that it was compiled from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LineKind {
    /// Lines of PTX.
    #[default]
    Ptx,
    /// Lines of the source, where `.loc` names them.
    Source,
}

/// A kernel that can run.
#[derive(Debug)]
pub struct LoadedKernel {
    /// The module.
    pub file: LintFile,
    /// The kernel.
    pub kernel: Kernel,
    /// Its launch.
    pub launch: Launch,
    /// Global memory with its arguments.
    pub memory: GlobalMemory,
    /// The buffers among its arguments.
    pub buffers: Vec<BufferPlace>,
}

/// Loads the kernel of a configuration; an error is a message for the user.
pub trait LoadKernel {
    /// Loads it.
    ///
    /// # Errors
    /// The message, if the module cannot be read or the kernel cannot be launched.
    fn load(&self, configuration: &LaunchConfiguration) -> Result<LoadedKernel, String>;
}

impl LaunchConfiguration {
    /// Loads the kernel.
    ///
    /// # Errors
    /// As those of [`LoadKernel::load`]. A pipe or a device is not read either: it may never end, and the client would wait for an answer.
    pub fn load(&self, loader: &dyn LoadKernel) -> Result<LoadedKernel, String> {
        let name = self.program.display();
        if self.program.as_os_str() == "-" {
            return Err(format!("cannot read {name}: standard input has the requests"));
        }
        if self.program.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(format!("cannot read {name}: not a regular file"));
        }
        loader.load(self)
    }
}

const fn default_limit() -> u64 {
    1_000_000_000
}

/// A size: a number, a list of up to three, or their text as `run` has it.
fn dimensions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Dimensions, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let invalid = || serde::de::Error::custom(format!("expected one to three sizes, found {value}"));
    let parts: Vec<Option<u32>> = match &value {
        Value::Array(list) => list.iter().map(|size| size.as_u64().and_then(|size| size.try_into().ok())).collect(),
        Value::String(text) => text.split(',').map(|size| size.trim().parse().ok()).collect(),
        number => vec![number.as_u64().and_then(|size| size.try_into().ok())],
    };
    let mut sizes = Dimensions::default();
    if parts.is_empty() || parts.len() > sizes.0.len() {
        return Err(invalid());
    }
    for (size, part) in sizes.0.iter_mut().zip(parts) {
        *size = part.ok_or_else(invalid)?;
    }
    Ok(sizes)
}

fn some_dimensions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Dimensions>, D::Error> {
    dimensions(deserializer).map(Some)
}

/// Arguments: a list of `NAME=SPEC`, or an object from names to specifications.
fn arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let invalid = || serde::de::Error::custom("expected a list of `NAME=SPEC`, or an object with a SPEC for each NAME");
    match &value {
        Value::Null => Ok(Vec::new()),
        Value::Array(list) => list.iter().map(|one| one.as_str().map(str::to_owned).ok_or_else(invalid)).collect(),
        Value::Object(object) => {
            let one = |(name, spec): (&String, &Value)| Some(format!("{name}={}", spec.as_str()?));
            object.iter().map(|entry| one(entry).ok_or_else(invalid)).collect()
        }
        _ => Err(invalid()),
    }
}
