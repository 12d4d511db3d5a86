//! Restarts: the module is read again, and its breakpoints are set anew.

use crate::debugger::Debugger;
use crate::goals::RunGoal;
use crate::launch::{LaunchConfiguration, LoadKernel};
use crate::target::DebugTarget;
use serde_json::Value;
use std::sync::Arc;

impl Debugger {
    /// Runs the kernel again as often as the client asks for it. The module is read anew, so that it may have been edited.
    pub fn run_again(&mut self, loader: &dyn LoadKernel) {
        while let Some(arguments) = self.restarts.take() {
            let Some(target) = &self.target else { return };
            let given = &arguments["arguments"];
            let configuration = match given {
                Value::Null => Ok(target.configuration.clone()),
                given => serde_json::from_value::<LaunchConfiguration>(given.clone())
                    .map_err(|error| format!("invalid launch configuration: {error}")),
            };
            let loaded = configuration.and_then(|found| found.load(loader).map(|loaded| (found, loaded)));
            match loaded {
                Ok((configuration, loaded)) => {
                    if !given.is_null() {
                        self.stepping = configuration.stepping;
                    }
                    self.target = Some(Arc::new(DebugTarget::new(configuration, loaded)));
                }
                Err(error) => {
                    self.client.output("stderr", &format!("{error}\n"));
                    return self.finish(2);
                }
            }
            self.place_again();
            self.run(RunGoal::Entry, loader);
        }
    }
}
