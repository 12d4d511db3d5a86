//! From PTX to the source line that it was generated from, and back: part of definitions, implementations and hover.

use crate::client::plain_text::markup;
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::documents::workspace_snapshot::WorkspaceSnapshot;
use crate::scheduling::work::CancelFlag;
use crate::uri;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tower_lsp::ls_types as lsp;

/// The most lines of PTX that a hover shows.
const MOST_LINES: usize = 12;

/// Where the instruction or the `.loc` directive at an offset comes from, the callee of inlined code first; files that are not there are left out.
pub fn sources(snapshot: &DocumentSnapshot, offset: usize) -> Option<(Range<usize>, Vec<lsp::Location>)> {
    let found = snapshot.source.generated_from(offset)?;
    let folder = folder_of(&snapshot.uri)?;
    let location = |place: &syntax::SourceLocation| {
        let path = folder.join(&place.path);
        let line = u32::try_from(place.line.checked_sub(1)?).ok()?;
        let position = lsp::Position::new(line, u32::try_from(place.column.saturating_sub(1)).ok()?);
        let uri = path.is_file().then(|| uri::uri_of(&normalized(&path)))??;
        Some(lsp::Location::new(uri, lsp::Range::new(position, position)))
    };
    let locations: Vec<_> = found.source.places().filter_map(location).collect();
    (!locations.is_empty()).then_some((found.range, locations))
}

/// The source lines that an instruction was generated from, for clients that show problems there, too.
pub fn sources_of(snapshot: &DocumentSnapshot, range: &Range<usize>) -> Vec<lsp::Location> {
    sources(snapshot, range.start).map_or(Vec::new(), |(_, locations)| locations)
}

/// The same if the opcode or the directive itself is there: other words have a meaning of their own.
pub fn sources_at(snapshot: &DocumentSnapshot, offset: usize) -> Option<(Range<usize>, Vec<lsp::Location>)> {
    sources(snapshot, offset).filter(|(range, _)| range.start <= offset && offset <= range.end)
}

/// Their lines as Markdown, with the range.
pub fn sources_hover(snapshot: &DocumentSnapshot, offset: usize) -> Option<(Range<usize>, String)> {
    let (range, locations) = sources_at(snapshot, offset)?;
    let lines: Vec<String> = locations.iter().enumerate().map(|(at, place)| source_line(at, place)).collect();
    Some((range, lines.join("\n\n")))
}

/// A source line: a link and its text.
fn source_line(depth: usize, place: &lsp::Location) -> String {
    let what = if depth == 0 { "Generated from" } else { "Inlined at" };
    let line = place.range.start.line;
    let path = uri::path_of(place.uri.as_str()).unwrap_or_default();
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let code = text.lines().nth(line as usize).unwrap_or_default().trim();
    let code = if code.is_empty() { String::new() } else { format!(": `{}`", code.replace('`', "'")) };
    format!("{what} {}{code}", link(&path, &place.uri, line))
}

fn link(path: &Path, uri: &lsp::Uri, line: u32) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("[{name}:{}]({}#L{})", line + 1, uri.as_str(), line + 1)
}

/// The PTX that was generated from a line of a source: of the open documents, and if none has any, of the files of the workspace.
pub fn generated(
    workspace: &WorkspaceSnapshot,
    source: &str,
    line: u32,
    cancel: &CancelFlag,
) -> Option<Vec<lsp::Location>> {
    let path = normalized(&uri::path_of(source)?);
    let mut found: Vec<lsp::Location> =
        workspace.documents.iter().flat_map(|module| locations_in(module, &path, line)).collect();
    let modules = if found.is_empty() { workspace.closed(cancel) } else { Vec::new() };
    for module in modules.iter().filter(|module| module.uri.as_str().ends_with(".ptx")) {
        if cancel.is_cancelled() {
            return None;
        }
        found.extend(workspace.parse(module).iter().flat_map(|module| locations_in(module, &path, line)));
    }
    Some(found)
}

fn locations_in(module: &DocumentSnapshot, source: &Path, line: u32) -> Vec<lsp::Location> {
    let Ok(uri) = module.uri.parse::<lsp::Uri>() else { return Vec::new() };
    let ranges = ranges_in(module, source, line);
    ranges.iter().map(|range| lsp::Location::new(uri.clone(), module.range(range))).collect()
}

/// The PTX of a module that was generated from a line, counted from 0.
fn ranges_in(module: &DocumentSnapshot, source: &Path, line: u32) -> Vec<Range<usize>> {
    let Some(folder) = folder_of(&module.uri) else { return Vec::new() };
    let is_source = |path: &str| normalized(&folder.join(path)) == source;
    if !module.source.document_links().iter().any(|link| is_source(&link.path)) {
        return Vec::new();
    }
    module.source.generated_by(&is_source, u64::from(line) + 1)
}

/// The PTX of the open documents that was generated from a line of a source.
pub fn generated_hover(workspace: &WorkspaceSnapshot, source: &str, line: u32) -> Option<lsp::Hover> {
    let path = normalized(&uri::path_of(source)?);
    let mut text = String::new();
    for module in &workspace.documents {
        for range in ranges_in(module, &path, line) {
            let start = module.range(&range).start.line;
            let uri: lsp::Uri = module.uri.parse().ok()?;
            let name = uri::path_of(&module.uri).unwrap_or_default();
            let code = module.source.rope().byte_slice(range).to_string();
            let shown = text.lines().count();
            let kept = code.lines().map(str::trim).filter(|line| !line.starts_with(".loc"));
            let code: Vec<&str> = kept.take(MOST_LINES.saturating_sub(shown)).collect();
            if !code.is_empty() {
                let _ = write!(text, "PTX in {}\n\n```ptx\n{}\n```\n\n", link(&name, &uri, start), code.join("\n"));
            }
        }
    }
    (!text.is_empty()).then(|| lsp::Hover {
        contents: lsp::HoverContents::Markup(markup(text.trim_end(), workspace.features.hover_format)),
        range: None,
    })
}

/// The folder that the paths of a module begin at.
fn folder_of(uri: &str) -> Option<PathBuf> {
    uri::path_of(uri)?.parent().map(Path::to_owned)
}

/// Paths are compared by the files that they lead to.
fn normalized(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
