//! Checks a host text: the PTX in its statements of inline assembly, and the statements themselves.

use crate::checker::{FragmentCache, apply_settings};
use crate::inline_asm::targets::{arch, snapshot, targets, version};
use crate::inline_asm::{HostSource, functions, guard, holes, missing_semicolon, statements, undeclared, unread};
use crate::rules::asm;
use crate::{Checker, Coverage};
use diagnostics::registry::DUPLICATE_DECLARATION;
use diagnostics::suppressions::MARKER;
use diagnostics::targets::merge;
use diagnostics::{Cause, Diagnostic, Edit, Related, Subject, SuppressedDiagnostic, TargetSource};
use foldhash::HashSet;
use hosts::cpp::{CompilerBarriers, asm_functions};
use hosts::inline_asm::{
    AsmDialect, AsmFragment, AsmStatement, EmbeddedText, HostComment, HostLanguage, HostText, MissingPart, ScannedHost,
    UnknownText,
};
use isa::Spelling;
use isa::target::Target;
use std::ops::Range;
use std::sync::Arc;
use syntax::Comment;

/// All diagnostics, and the suppressed ones; `None` if the check is cancelled.
pub(super) fn check(
    source: &HostSource,
    checker: &mut Checker,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<Diagnostic>, Vec<SuppressedDiagnostic>)> {
    let scanned = source.text.scanned();
    let barriers = match scanned.language {
        HostLanguage::Cpp => Some(CompilerBarriers::new(&scanned.text, &scanned.statements)),
        _ => None,
    };
    let mut pass = StatementPass {
        source,
        barriers: barriers.as_ref(),
        last: &checker.fragments,
        cancelled,
        fragments: FragmentCache::default(),
        coverage: Coverage { unread: scanned.unread_statements, ..Coverage::default() },
        searchable: undeclared::MOST_SEARCHED,
        diagnostics: Vec::new(),
        of_functions: Vec::new(),
    };
    for number in 0..scanned.statements.len() {
        pass.statement(number)?;
    }
    let StatementPass { mut fragments, coverage, mut diagnostics, mut of_functions, .. } = pass;
    diagnostics.append(&mut of_functions);
    diagnostics.extend(scanned.unread.iter().map(unread::diagnostic));
    diagnostics.extend(check_functions(source, &checker.fragments, &mut fragments, cancelled)?);
    if scanned.language == HostLanguage::Markdown {
        diagnostics.retain(|diagnostic| !is_elided(&scanned.text, diagnostic));
    }
    checker.fragments = fragments;
    checker.coverage = coverage;
    // The branches of an `#if` in a statement share the text outside of it, and report it twice.
    diagnostics.sort_by(Diagnostic::order);
    diagnostics.dedup_by(|a, b| (a.rule, &a.range, &a.cause) == (b.rule, &b.range, &b.cause));
    Some(apply_settings(source.text.rope(), &suppression_comments(scanned), &source.settings, diagnostics))
}

/// The statements of a text in order, and what is found of them.
struct StatementPass<'c> {
    source: &'c HostSource,
    barriers: Option<&'c CompilerBarriers<'c>>,
    last: &'c FragmentCache,
    cancelled: &'c (dyn Fn() -> bool + Sync),
    fragments: FragmentCache,
    coverage: Coverage,
    /// How many more bytes may be searched for declarations.
    searchable: usize,
    diagnostics: Vec<Diagnostic>,
    /// The diagnostics of statements as functions of their own.
    of_functions: Vec<Diagnostic>,
}

impl StatementPass<'_> {
    /// Checks the statement with a number; `None` if the check is cancelled.
    fn statement(&mut self, number: usize) -> Option<()> {
        if (self.cancelled)() {
            return None;
        }
        let scanned = self.source.text.scanned();
        let statement = &scanned.statements[number];
        // In C++, the next statement may continue an instruction.
        let next = scanned.statements.get(number + 1).filter(|_| statement.dialect == AsmDialect::Nvcc);
        let (before, mut unknown) = (self.coverage.statements, None);
        let choices = statement.choices();
        for choice in &choices {
            let mut fragment = AsmFragment::new(&scanned.text, statement, choice);
            fragment.barriers = self.barriers.filter(|_| statement.embedded.is_none());
            if scanned.language != HostLanguage::Cpp && is_alone(statement) && choices.len() == 1 {
                let found = statements::check(&fragment, self.source, self.last, &mut self.fragments, self.cancelled)?;
                let found = found.iter().filter_map(|found| to_host(&fragment, found, TargetSource::Build));
                self.of_functions.extend(found);
            }
            if let Some(reason) = fragment.unknown_text() {
                let is_computed = scanned.language != HostLanguage::Cpp && statement.embedded.is_none();
                unknown = Some(if is_computed { UnknownText::Computed } else { reason });
                continue;
            }
            if !fragment.is_ptx() {
                continue;
            }
            // The branches of an `#if` in a statement share the text outside of it: only the first one is counted.
            if self.coverage.statements == before {
                count_statement(&fragment, &mut self.coverage);
            }
            self.fragment(&fragment, next)?;
        }
        if let Some(reason) = unknown.filter(|_| self.coverage.statements == before) {
            self.coverage.unread.add(reason, 1);
        }
        Some(())
    }

    /// Checks a fragment with PTX; `next` is the statement that may continue it.
    fn fragment(&mut self, fragment: &AsmFragment, next: Option<&AsmStatement>) -> Option<()> {
        let source = self.source;
        if !fragment.is_plain() {
            self.diagnostics.extend(check_fragment(fragment, source, self.last, &mut self.fragments)?);
            let searched = (source, &mut self.searchable);
            let of_names = undeclared::check(fragment, searched, self.last, &mut self.fragments, self.cancelled)?;
            self.diagnostics.extend(of_names);
            self.diagnostics.extend(guard::check(fragment, &source.settings));
            let of_holes = holes::check(fragment, source)?;
            self.diagnostics.extend(of_holes.iter().filter_map(|found| holes::to_host(fragment, found)));
        }
        if fragment.statement.finished {
            let first = self.diagnostics.len();
            asm::check(fragment, &mut self.diagnostics);
            encode_fixes(fragment.statement, &mut self.diagnostics[first..]);
            missing_semicolon::check(fragment, next, &mut self.diagnostics);
        }
        Some(())
    }
}

/// Whether documentation leaves out a part of what a diagnostic is about: its line has dots, or its token is a name for any register.
fn is_elided(text: &str, diagnostic: &Diagnostic) -> bool {
    let start = text[..diagnostic.range.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[diagnostic.range.end..].find('\n').map_or(text.len(), |length| diagnostic.range.end + length);
    let (line, token) = (&text[start..end], &text[diagnostic.range.clone()]);
    let is_name = |(at, _): (usize, _)| token[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic());
    let is_any_register = diagnostic.rule.subject == Subject::Operands && token.match_indices('%').any(is_name);
    line.contains("...") || line.contains('…') || is_any_register
}

/// The diagnostics of whole functions of C++: of the text, or of the source code in its literals.
fn check_functions(
    source: &HostSource,
    last: &FragmentCache,
    fragments: &mut FragmentCache,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Diagnostic>> {
    let scanned = source.text.scanned();
    let mut found = Vec::new();
    if scanned.language == HostLanguage::Cpp {
        for function in asm_functions(&scanned.text, &scanned.statements) {
            found.extend(functions::check(&function, source, last, fragments, cancelled)?);
        }
    }
    let mut known: HashSet<*const EmbeddedText> = HashSet::default();
    for embedded in scanned.statements.iter().filter_map(|statement| statement.embedded.as_ref()) {
        if !known.insert(Arc::as_ptr(embedded)) {
            continue;
        }
        let text = HostText::new(HostLanguage::Cpp, embedded.text());
        let inner = HostSource { text, settings: source.settings.clone() };
        let of_text = check_functions(&inner, last, fragments, cancelled)?;
        found.extend(of_text.into_iter().filter_map(|diagnostic| {
            let range = embedded.to_host(&diagnostic.range)?;
            Some(Diagnostic { range, ..diagnostic })
        }));
    }
    Some(found)
}

/// Whether a statement is a whole of instructions: not a module, and not in a function that is read as a whole.
fn is_alone(statement: &AsmStatement) -> bool {
    statement.embedded.is_none() && statement.dialect != AsmDialect::Module
}

/// Writes the edits of a statement that is in literals of the host text as they have to be written there.
fn encode_fixes(statement: &AsmStatement, diagnostics: &mut [Diagnostic]) {
    let Some(embedded) = &statement.embedded else { return };
    let encode = |edit: &mut Edit| match embedded.encode(&edit.range, &edit.text) {
        Some(text) => {
            edit.text = text;
            true
        }
        None => false,
    };
    for diagnostic in diagnostics {
        diagnostic.fixes.retain_mut(|fix| fix.edits.iter_mut().all(encode));
    }
}

/// Counts a statement and its instructions. An opcode with an unknown part is not checked as a whole.
fn count_statement(fragment: &AsmFragment, coverage: &mut Coverage) {
    let unchecked = coverage.unchecked;
    for instruction in fragment.instructions() {
        let opcode = &instruction.opcode;
        let is_partial = fragment.template.incomplete.iter().any(|(range, missing)| {
            *missing == MissingPart::Opcode && range.start < opcode.end && opcode.start < range.end
        });
        coverage.instruction(instruction.is_known && !is_partial);
    }
    fragment.template.unknown.iter().for_each(|_| coverage.instruction(false));
    coverage.statements += 1;
    coverage.checked_statements += usize::from(coverage.unchecked == unchecked);
}

/// The comments with the marker. One right before a statement of inline assembly applies to all of it, and to the rest of its last line.
pub fn suppression_comments(scanned: &ScannedHost) -> Vec<Comment> {
    let statement_at = |start: usize| {
        let at = scanned.statements.binary_search_by_key(&start, |statement| statement.range.start).ok()?;
        let range = &scanned.statements[at].range;
        let end = scanned.text[range.end..].find('\n').map_or(scanned.text.len(), |length| range.end + length);
        Some(range.start..end)
    };
    let comment =
        |found: HostComment| Comment { range: found.range, leads: found.leads, function: statement_at(found.next) };
    scanned.language.comments(&scanned.text, MARKER).into_iter().map(comment).collect()
}

/// The diagnostics of the PTX of a statement, for each of its targets, mapped to the host text.
fn check_fragment(
    fragment: &AsmFragment,
    source: &HostSource,
    last: &FragmentCache,
    fragments: &mut FragmentCache,
) -> Option<Vec<Diagnostic>> {
    let settings = &source.settings;
    let (mut names, mut lists) = (Vec::new(), Vec::new());
    for (target, from) in targets(fragment, settings) {
        let key = FragmentCache::key(&fragment.template.text, target, version(fragment, settings));
        let check = || Checker::embedded().check_one(&snapshot(fragment, settings, target).for_lint(), &|| false);
        let found = fragments.get_or_check(last, key, check)?;
        names.push(target.map_or("", |target| target.name()));
        let is_certain = found.is_empty()
            || from != TargetSource::Build
            || fragment.statement.dialect == AsmDialect::Module
            || is_compiled(fragment, source.text.scanned(), target);
        // What a target alone rejects is no error where the build may leave the statement out.
        let of_any_target = match target.filter(|_| !is_certain) {
            Some(_) => {
                let key = FragmentCache::key(&fragment.template.text, None, version(fragment, settings));
                let check = || Checker::embedded().check_one(&snapshot(fragment, settings, None).for_lint(), &|| false);
                fragments.get_or_check(last, key, check)?
            }
            None => found.clone(),
        };
        let is_of_any_target = |diagnostic: &Diagnostic| {
            of_any_target.iter().any(|other| other.rule == diagnostic.rule && other.range == diagnostic.range)
        };
        let rejected = found.iter().filter(|diagnostic| {
            is_certain || !matches!(*diagnostic.cause, Cause::Requires { .. }) && is_of_any_target(diagnostic)
        });
        lists.push(rejected.filter_map(|diagnostic| to_host(fragment, diagnostic, from)).collect());
    }
    Some(if lists.len() == 1 { lists.remove(0) } else { merge(&names, lists) })
}

/// Whether a build certainly compiles a statement, for a target or for any target.
fn is_compiled(fragment: &AsmFragment, scanned: &ScannedHost, target: Option<Target>) -> bool {
    let certain = scanned.compiled_for(fragment.statement.keyword.start);
    target.map_or(!certain.is_empty(), |target| certain.contains(arch(target)))
}

/// Whether a word is part of some instruction.
fn is_known(word: &str) -> bool {
    let word = word.trim_start_matches('.');
    isa::vocabulary::entry(word).is_some() || isa::opcodes().any(|opcode| opcode.split('.').any(|part| part == word))
}

/// Maps a diagnostic to the host text; `None` if it has no position there, or if unknown parts of the statement may make it false.
fn to_host(fragment: &AsmFragment, diagnostic: &Diagnostic, source: TargetSource) -> Option<Diagnostic> {
    let template = &fragment.template;
    let subject = diagnostic.rule.subject;
    let syntax = subject == Subject::Syntax;
    let is_module = fragment.statement.dialect == AsmDialect::Module;
    let is_excerpt = fragment.statement.dialect == AsmDialect::Excerpt;
    if subject == Subject::Module && !is_module
        || syntax && is_excerpt
        || syntax && (template.has_placeholder || !fragment.statement.finished)
    {
        return None;
    }
    // Of several `#if`s, conflicting branches may be part of the same choice.
    let may_exclude = *diagnostic.rule == DUPLICATE_DECLARATION && fragment.statement.groups.len() > 1;
    if may_exclude || !is_module && is_doubtful(fragment, diagnostic) {
        return None;
    }
    let missing = template
        .incomplete
        .iter()
        .find(|(range, _)| range.start <= diagnostic.range.start && diagnostic.range.start < range.end);
    if missing.is_some_and(|(_, missing)| hides(*missing, subject, &template.text[diagnostic.range.clone()])) {
        return None;
    }
    let mut range = diagnostic.range.clone();
    let body = &template.body;
    let is_last = || body.contains(&range.start) && template.text[range.start..body.end].trim().is_empty();
    if syntax && (range.start >= body.end || range.is_empty() && is_last()) {
        // A syntax error after the last character of the template is reported there.
        let end = body.start + template.text[body.clone()].trim_end().len();
        let first = template.text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
        range = first..end;
    }
    let mut found = crate::inline_asm::translate::diagnostic(fragment, diagnostic, range)?;
    if !is_module {
        found = found.in_asm_statement(source);
    }
    // A fix of a macro's body may break its other uses.
    if missing.is_some() || fragment.statement.invocations.len() > 1 {
        found.fixes.clear();
    }
    if let Some(invocation) = fragment.invocation.filter(|at| !overlaps(at, &found.range)) {
        let message = "in this macro invocation".to_owned();
        found.related.push(Related { range: invocation.clone(), message, thread: None });
    }
    Some(found)
}

fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether an unknown part of an instruction may make a diagnostic on a word of it false.
fn hides(missing: MissingPart, subject: Subject, word: &str) -> bool {
    match (missing, subject) {
        // A known word may be valid together with the unknown part.
        (MissingPart::Opcode, Subject::Modifier) => is_known(word),
        (MissingPart::Opcode, subject) => subject != Subject::Modifiers,
        (MissingPart::Operands, subject) => subject == Subject::Operands,
    }
}

/// Whether a diagnostic reports an unknown word that may belong to the assembly language of another architecture.
fn is_doubtful(fragment: &AsmFragment, diagnostic: &Diagnostic) -> bool {
    if !matches!(diagnostic.rule.subject, Subject::Name | Subject::Modifier) || fragment.is_certainly_ptx() {
        return false;
    }
    let at = diagnostic.range.start;
    let instruction = fragment
        .instructions()
        .iter()
        .find(|instruction| instruction.opcode.start <= at && at < instruction.opcode.end);
    instruction.is_some_and(|instruction| {
        let mut words = instruction.text.split('.').map(str::trim);
        let mnemonic = words.next().unwrap_or_default();
        let modifiers: Vec<&str> = words.collect();
        let has_rows = isa::mnemonics().any(|known| known == mnemonic);
        !has_rows && !isa::names::is_certainly_ptx(&Spelling { mnemonic, modifiers: &modifiers })
    })
}
