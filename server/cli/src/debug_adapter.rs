//! `dap`: the debugger on standard input and output.

use crate::exit::Exit;
use crate::run::{LaunchOptions, PreparedKernel, prepare};
use clap::Args;
use dap::{LaunchConfiguration, LoadKernel, LoadedKernel};

/// Arguments of `dap`.
#[derive(Args)]
pub struct AdapterArguments {
    /// Use standard input and output, the only transport; accepted because editors pass it
    #[arg(long)]
    stdio: bool,
}

/// Loads kernels as `run` does.
struct KernelLoader;

impl LoadKernel for KernelLoader {
    fn load(&self, configuration: &LaunchConfiguration) -> Result<LoadedKernel, String> {
        let options = LaunchOptions {
            file: configuration.program.clone(),
            kernel: configuration.kernel.clone(),
            grid: configuration.grid,
            block: configuration.block,
            cluster: configuration.cluster,
            shared: configuration.shared,
            seed: configuration.seed,
            arguments: configuration.args.clone(),
        };
        let PreparedKernel { snapshot, kernel, mut memory, launch, .. } =
            prepare(&options, configuration.max_instructions)?;
        let buffers = memory.buffers().to_vec();
        let memory = std::mem::take(&mut memory.memory);
        Ok(LoadedKernel { file: snapshot.file, kernel, launch, memory, buffers })
    }
}

/// Serves until the client disconnects.
pub fn run(_: &AdapterArguments) -> Exit {
    dap::run_stdio(&KernelLoader);
    Exit::Clean
}
