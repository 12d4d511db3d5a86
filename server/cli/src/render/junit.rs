//! JUnit XML: a suite per file, a failed case per diagnostic, and a passed case for a file without any.

use super::{Renderer, Report, RunSummary, message_with_help};
use crate::output::inline;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::{self, Write};

/// The renderer. The root element has the counts of all files, so that nothing is written before the last.
#[derive(Default)]
pub struct Junit {
    suites: Vec<JunitSuite>,
}

/// The cases of a file.
struct JunitSuite {
    path: String,
    failures: Vec<JunitFailure>,
}

/// A case that failed.
struct JunitFailure {
    name: String,
    message: String,
    severity: &'static str,
    description: String,
}

impl Renderer for Junit {
    fn file(&mut self, report: &Report, _: &mut dyn Write) -> io::Result<()> {
        // XML cannot represent most control characters.
        let path = report.shown_path().to_string();
        let failures = report.open().map(|found| {
            let diagnostic = &found.diagnostic;
            let place = report.position(diagnostic.range.start);
            let (line, column) = (place.line + 1, place.column + 1);
            JunitFailure {
                name: format!("{} at {line}:{column}", diagnostic.code()),
                message: inline(&diagnostic.message()).to_string(),
                severity: diagnostic.severity.name(),
                description: format!("{path}:{line}:{column}: {}", inline(&message_with_help(diagnostic))),
            }
        });
        let failures = failures.collect();
        self.suites.push(JunitSuite { path, failures });
        Ok(())
    }

    fn finish(&mut self, _: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = Writer::new_with_indent(&mut *out, b' ', 4);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let cases: usize = self.suites.iter().map(JunitSuite::cases).sum();
        let failures: usize = self.suites.iter().map(|suite| suite.failures.len()).sum();
        writer
            .create_element("testsuites")
            .with_attribute(("name", "ptx-atomics lint"))
            .with_attribute(("tests", &*cases.to_string()))
            .with_attribute(("failures", &*failures.to_string()))
            .with_attribute(("errors", "0"))
            .write_inner_content(|writer| self.suites.iter().try_for_each(|suite| suite.write(writer)))?;
        out.write_all(b"\n")
    }
}

impl JunitSuite {
    fn cases(&self) -> usize {
        self.failures.len().max(1)
    }

    fn write<W: Write>(&self, writer: &mut Writer<W>) -> io::Result<()> {
        let suite = writer
            .create_element("testsuite")
            .with_attribute(("name", &*self.path))
            .with_attribute(("tests", &*self.cases().to_string()))
            .with_attribute(("disabled", "0"))
            .with_attribute(("errors", "0"))
            .with_attribute(("failures", &*self.failures.len().to_string()));
        suite.write_inner_content(|writer| {
            if self.failures.is_empty() {
                let case = writer.create_element("testcase").with_attribute(("name", "no findings"));
                case.with_attribute(("classname", &*self.path)).write_empty()?;
            }
            self.failures.iter().try_for_each(|failure| failure.write(&self.path, writer))
        })?;
        Ok(())
    }
}

impl JunitFailure {
    fn write<W: Write>(&self, path: &str, writer: &mut Writer<W>) -> io::Result<()> {
        let case = writer.create_element("testcase").with_attribute(("name", &*self.name));
        case.with_attribute(("classname", path)).write_inner_content(|writer| {
            let failure = writer.create_element("failure").with_attribute(("message", &*self.message));
            failure.with_attribute(("type", self.severity)).write_text_content(BytesText::new(&self.description))?;
            Ok(())
        })?;
        Ok(())
    }
}
