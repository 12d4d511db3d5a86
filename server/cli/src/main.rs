//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    command_line::main()
}
