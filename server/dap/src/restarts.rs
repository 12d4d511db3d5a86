//! Restarts: the module is read again, and its breakpoints are set anew.

use crate::debugger::Debugger;
use crate::goals::RunGoal;
use crate::launch::{LaunchConfiguration, LoadKernel};
use crate::target::DebugTarget;
use std::sync::Arc;

impl Debugger {
    /// Runs the kernel again as often as the client asks for it. The module is read anew, so that it may have been edited.
    pub fn run_again(&mut self, loader: &dyn LoadKernel) {
        while let Some(arguments) = self.restarts.take() {
            let Some(target) = &self.target else { return };
            let configuration = serde_json::from_value(arguments["arguments"].clone());
            let configuration: LaunchConfiguration = configuration.unwrap_or_else(|_| target.configuration.clone());
            match loader.load(&configuration) {
                Ok(loaded) => self.target = Some(Arc::new(DebugTarget::new(configuration, loaded))),
                Err(error) => {
                    self.client.output("stderr", &format!("{error}\n"));
                    return self.finish(2);
                }
            }
            self.place_again();
            self.run(RunGoal::Entry);
        }
    }
}
