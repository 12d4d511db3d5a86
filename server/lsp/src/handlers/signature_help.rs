//! `textDocument/signatureHelp`.

use crate::client::plain_text::markup;
use crate::convert::Encoding;
use crate::documents::document_snapshot::DocumentSnapshot;
use ide::features::SignatureParameter;
use std::ops::Range;
use tower_lsp::ls_types as lsp;

/// The operands of the instruction at a position.
pub fn signature_help(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<lsp::SignatureHelp> {
    let found = snapshot.source.signature_help(snapshot.offset(position))?;
    let active = found.active.map(|active| active as u32);
    let parameters = found.parameters.into_iter().map(|parameter| operand(snapshot, &found.label, parameter)).collect();
    let signature = lsp::SignatureInformation {
        label: found.label,
        documentation: documentation(snapshot, found.documentation),
        // Without an active parameter, clients highlight the first one, so after the last operand there are none.
        parameters: active.and(Some(parameters)),
        active_parameter: active.filter(|_| snapshot.features.active_parameter),
    };
    Some(lsp::SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active })
}

fn operand(snapshot: &DocumentSnapshot, label: &str, parameter: SignatureParameter) -> lsp::ParameterInformation {
    let place = if snapshot.features.label_offsets {
        lsp::ParameterLabel::LabelOffsets(offsets(snapshot.features.encoding, label, &parameter.range))
    } else {
        lsp::ParameterLabel::Simple(label.get(parameter.range).unwrap_or_default().to_owned())
    };
    lsp::ParameterInformation { label: place, documentation: documentation(snapshot, parameter.documentation) }
}

/// An offset in a label, in the client's encoding.
fn offsets(encoding: Encoding, label: &str, range: &Range<usize>) -> [u32; 2] {
    let text = syntax::Rope::from_str(label);
    let range = crate::convert::range(&text, encoding, range);
    [range.start.character, range.end.character]
}

fn documentation(snapshot: &DocumentSnapshot, markdown: String) -> Option<lsp::Documentation> {
    let content = markup(&markdown, snapshot.features.signature_format);
    (!content.value.is_empty()).then_some(lsp::Documentation::MarkupContent(content))
}
