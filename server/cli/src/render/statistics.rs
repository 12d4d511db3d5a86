//! `--statistics`: the number of diagnostics per rule, the most frequent first.

use super::{Renderer, Report, RunSummary};
use diagnostics::Severity;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The renderer.
#[derive(Default)]
pub struct Statistics(BTreeMap<(&'static str, Severity), usize>);

impl Renderer for Statistics {
    fn file(&mut self, report: &Report, _: &mut dyn Write) -> io::Result<()> {
        for found in report.open() {
            *self.0.entry((found.diagnostic.code(), found.diagnostic.severity)).or_default() += 1;
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        let mut counts: Vec<_> = self.0.iter().collect();
        counts.sort_by_key(|((code, severity), count)| (std::cmp::Reverse(**count), *severity, *code));
        for ((code, severity), count) in counts {
            writeln!(out, "{count:>7}  {:<7}  {code}", severity.name())?;
        }
        Ok(())
    }
}
