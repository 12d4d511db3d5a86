//! `dap`: the debugger on standard input and output.

use crate::exit::Exit;
use crate::run::{CompilerOptions, LaunchOptions, PreparedKernel, prepare};
use clap::Args;
use dap::{LaunchConfiguration, LoadKernel, LoadedKernel};
use evaluation::launches::statement::read_launch;
use kernel::arguments::launch::KernelLaunch;

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
        let options = options(configuration)?;
        let PreparedKernel { snapshot, kernel, mut memory, launch, .. } =
            prepare(&options, configuration.max_instructions)?;
        let buffers = memory.buffers().to_vec();
        let memory = std::mem::take(&mut memory.memory);
        Ok(LoadedKernel { file: snapshot.file, kernel, launch, memory, buffers })
    }
}

/// The options of `run` that a configuration stands for.
fn options(configuration: &LaunchConfiguration) -> Result<LaunchOptions, String> {
    let file = configuration.program.clone();
    let Some(text) = &configuration.launch else {
        return Ok(LaunchOptions {
            file,
            kernel: configuration.kernel.clone(),
            grid: Some(configuration.grid),
            block: configuration.block,
            cluster: configuration.cluster,
            shared: configuration.shared,
            gpu: None,
            seed: configuration.seed,
            arguments: configuration.args.clone(),
            earlier: Vec::new(),
            beside: Vec::new(),
            compiler: CompilerOptions::default(),
        });
    };
    let line = format!("run {text}");
    let launch = read_launch(&line, 0..line.len());
    let (launch, _) = launch.map_err(|error| format!("{}: {}", error.message, error.help))?;
    let KernelLaunch { kernel, grid, block, cluster, shared, seed, arguments, earlier, .. } = launch;
    Ok(LaunchOptions {
        file,
        kernel: Some(kernel),
        grid: Some(grid),
        block,
        cluster,
        shared,
        gpu: None,
        seed,
        arguments,
        earlier,
        beside: Vec::new(),
        compiler: CompilerOptions::default(),
    })
}

/// Serves until the client disconnects.
pub fn run(_: &AdapterArguments) -> Exit {
    dap::run_stdio(&KernelLoader);
    Exit::Clean
}
