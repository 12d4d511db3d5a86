//! JUnit XML: a suite per file, a failed case per diagnostic, and a passed case for a file without any.

use super::{Renderer, Report, RunSummary, message_with_help};
use crate::output::inline;
use quick_junit::{NonSuccessKind, Report as Tests, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};

/// The renderer.
pub struct Junit(Tests);

impl Default for Junit {
    fn default() -> Self {
        Junit(Tests::new("ptx-atomics lint"))
    }
}

impl Renderer for Junit {
    fn file(&mut self, report: &Report, _: &mut dyn Write) -> io::Result<()> {
        // XML cannot represent most control characters, and the library would drop them.
        let path = report.shown_path();
        let mut suite = TestSuite::new(&*path);
        for found in report.open() {
            let diagnostic = &found.diagnostic;
            let place = report.position(diagnostic.range.start);
            let (line, column) = (place.line + 1, place.column + 1);
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(diagnostic.severity.name()).set_message(&*inline(&diagnostic.message()));
            status.set_description(format!("{path}:{line}:{column}: {}", inline(&message_with_help(diagnostic))));
            let mut case = TestCase::new(format!("{} at {line}:{column}", diagnostic.code()), status);
            case.set_classname(&*path);
            suite.add_test_case(case);
        }
        if suite.test_cases.is_empty() {
            let mut case = TestCase::new("no findings", TestCaseStatus::success());
            case.set_classname(&*path);
            suite.add_test_case(case);
        }
        self.0.add_test_suite(suite);
        Ok(())
    }

    fn finish(&mut self, _: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        // Write the string ourselves: the library's error would hide a broken pipe.
        let text = self.0.to_string().map_err(io::Error::other)?;
        out.write_all(text.as_bytes())
    }
}
