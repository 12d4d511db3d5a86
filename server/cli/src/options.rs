//! Options that several commands share.

use clap::Args;
use diagnostics::{SettingOrigin, Settings};

/// What overrides the module's own directives.
#[derive(Args)]
pub struct Overrides {
    /// Override the module's target, such as sm_90a; separate several with commas
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    pub target: Vec<String>,
    /// Override the module's PTX version, such as 8.1
    #[arg(long, value_name = "VERSION")]
    pub ptx_version: Option<String>,
    /// Report what the assembler of this CUDA toolkit does not support, such as 12.4
    #[arg(long, value_name = "VERSION")]
    pub toolkit: Option<String>,
}

impl Overrides {
    /// The settings they make; the error is a message for the user.
    pub fn settings(&self) -> Result<Settings, String> {
        let settings = Settings::new(None, self.ptx_version.as_deref())?;
        let settings = settings.for_targets(self.target.iter().map(String::as_str))?;
        let settings = settings.with_origin(SettingOrigin::CommandLine);
        match &self.toolkit {
            Some(number) => settings.for_toolkit(number),
            None => Ok(settings),
        }
    }
}
