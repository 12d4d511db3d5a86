//! Requests about one text, answered without a session: for hosts without threads, such as a page.
//!
//! The handlers are those of the server, so the results are, too. A process that answers one question after another keeps the text and
//! what was found in it, as an open document does.

use crate::client::client_features::ClientFeatures;
use crate::configuration::settings;
use crate::configuration::settings::SettingsSources;
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::scheduling::work::CancelFlag;
use crate::server_capabilities;
use crate::single_text_requests::respond;
use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use lints::Checker;
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use tower_lsp::ls_types as lsp;

/// A text and the requests about it.
#[derive(Deserialize)]
struct TextQuestion {
    /// The document's URI. The requests name it as their `textDocument`.
    uri: String,
    /// The identifier of its language; the URI decides where it is empty.
    #[serde(default, rename = "languageId")]
    language: String,
    text: String,
    /// The client's version number of the text.
    #[serde(default)]
    version: i32,
    /// The client's capabilities, as in `initialize`.
    #[serde(default)]
    capabilities: lsp::ClientCapabilities,
    /// `initializationOptions`, as in `initialize`.
    #[serde(default)]
    options: Value,
    /// The client's configuration, alone or under the section `ptxAtomics`.
    #[serde(default)]
    settings: Value,
    requests: Vec<TextRequest>,
}

/// A request of the protocol.
#[derive(Deserialize)]
struct TextRequest {
    method: String,
    params: Value,
}

/// The text of the last question.
struct KeptText {
    uri: String,
    text: Text,
    checker: Arc<Mutex<Checker>>,
}

/// A later question of the same process is mostly about the same text with a small change.
static KEPT: Mutex<Option<KeptText>> = Mutex::new(None);

/// Answers requests about a text. The question is `{uri, languageId, text, version, capabilities, options, settings, requests}`, where a request is
/// `{method, params}`. The answer is a list with an object for each, `{result}` or `{error}`. The result of `initialize` is the capabilities.
///
/// # Errors
/// The question is not of that form, or its language is unknown.
pub fn answer(given: Settings, question: &str) -> Result<String, String> {
    let question: TextQuestion = serde_json::from_str(question).map_err(|error| format!("invalid request: {error}"))?;
    let language = Language::of(&question.language, &question.uri)
        .ok_or_else(|| format!("unknown language `{}`", question.language))?;
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take();
    let kept = updated(kept, language, &question);
    let sources = SettingsSources {
        given,
        options: settings::read(&question.options),
        configured: settings::read(&question.settings),
    };
    let features = ClientFeatures::of(&question.capabilities);
    let source = kept.text.under(sources.effective());
    let mut snapshot = DocumentSnapshot {
        version: question.version,
        hints: sources.hints(),
        target_override: sources.target_override(),
        checker: Arc::clone(&kept.checker),
        ..DocumentSnapshot::closed(question.uri, source, sources.pages().map(Arc::from), features)
    };
    let answers = question.requests.into_iter().map(|TextRequest { method, params }| {
        let result = match method.as_str() {
            "initialize" => Ok(json!({ "capabilities": server_capabilities::of_one_text(&features) }).to_string()),
            _ => {
                // Found once for all requests that need them, and not for the others.
                if DIAGNOSED.contains(&method.as_str()) {
                    snapshot.found = snapshot.diagnostics(&CancelFlag::default());
                }
                respond(&snapshot, &method, params)
            }
        };
        // The results are large and already JSON.
        match result {
            Ok(result) => format!(r#"{{"result":{result}}}"#),
            Err(message) => json!({ "error": message }).to_string(),
        }
    });
    let answers = format!("[{}]", answers.collect::<Vec<_>>().join(","));
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    Ok(answers)
}

/// The requests whose answers are made of the diagnostics.
const DIAGNOSED: [&str; 2] = ["textDocument/diagnostic", "textDocument/codeAction"];

/// The text of a question: the kept one with an edit, or read afresh.
fn updated(kept: Option<KeptText>, language: Language, question: &TextQuestion) -> KeptText {
    match kept.filter(|kept| kept.uri == question.uri && kept.text.language() == language) {
        Some(mut kept) => {
            if let Some((range, new)) = edit_between(&kept.text.rope().to_string(), &question.text) {
                kept.text.edit_all([(range, new)]);
            }
            kept
        }
        None => {
            KeptText { uri: question.uri.clone(), text: Text::parse(language, &question.text), checker: Arc::default() }
        }
    }
}

/// The one edit that makes a text of another: the bytes to replace, and what replaces them; `None` where they are equal.
fn edit_between<'a>(before: &str, after: &'a str) -> Option<(Range<usize>, &'a str)> {
    if before == after {
        return None;
    }
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let mut start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    while !before.is_char_boundary(start) || !after.is_char_boundary(start) {
        start -= 1;
    }
    let rest = old.len().min(new.len()) - start;
    let mut end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    while !before.is_char_boundary(old.len() - end) || !after.is_char_boundary(new.len() - end) {
        end -= 1;
    }
    Some((start..old.len() - end, &after[start..new.len() - end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(question: &Value) -> Vec<Value> {
        let answers = answer(Settings::default(), &question.to_string()).unwrap();
        serde_json::from_str(&answers).unwrap()
    }

    #[test]
    fn each_request_about_a_text_has_an_answer() {
        let text = ".version 8.6\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 a; .reg .b64 p;\natom.add.f64 a, [p], a;\n}\n";
        let (uri, position) = ("file:///kernel.ptx", json!({"line": 4, "character": 1}));
        let params = json!({"textDocument": {"uri": uri}, "position": position});
        let capabilities = json!({"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": true}}});
        let pages = "https://a.b/{code}.html";
        let answers = ask(
            &json!({"uri": uri, "text": text, "capabilities": capabilities, "options": {"pages": pages}, "requests": [
                {"method": "textDocument/diagnostic", "params": params},
                {"method": "textDocument/hover", "params": params},
                {"method": "textDocument/unknown", "params": params},
                {"method": "textDocument/hover", "params": {}},
            ]}),
        );
        let diagnostics = answers[0]["result"]["items"].as_array().unwrap();
        assert_eq!(diagnostics[0]["range"]["start"]["line"], 4, "{diagnostics:?}");
        let page = diagnostics[0]["codeDescription"]["href"].as_str().unwrap();
        assert!(page.starts_with("https://a.b/") && page.ends_with(".html"), "{page}");
        assert!(answers[1]["result"]["contents"]["value"].as_str().unwrap().contains("atom"), "{answers:?}");
        assert_eq!(answers[2]["error"], "unknown request `textDocument/unknown`");
        assert!(answers[3]["error"].as_str().unwrap().starts_with("invalid parameters"), "{answers:?}");
    }

    #[test]
    fn an_unknown_language_is_an_error() {
        let question = json!({"uri": "file:///notes.xyz", "languageId": "xyz", "text": "", "requests": []});
        assert_eq!(answer(Settings::default(), &question.to_string()), Err("unknown language `xyz`".to_owned()));
    }

    fn text_of(body: &str) -> String {
        format!(".version 8.6\n.target sm_90\n.address_size 64\n.entry k() {{ .reg .b32 a; .reg .b64 p;\n{body}\n}}\n")
    }

    #[test]
    fn a_changed_text_has_the_answers_of_a_fresh_one() {
        let bodies = [
            "atom.add.f64 a, [p], a;",
            "atom.add.f32 a, [p], a;",
            "// ä\natom.add.f6",
            "// ö\natom.add.f64 a, [p], a;",
            "",
        ];
        for body in bodies.into_iter().chain(bodies.into_iter().rev()) {
            let question = |uri: &str| {
                let request = json!({"method": "textDocument/diagnostic", "params": {}});
                json!({"uri": uri, "languageId": "ptx", "text": text_of(body), "requests": [request]})
            };
            // Another URI is another text.
            let fresh = ask(&question("file:///fresh.ptx"));
            ask(&question("file:///kept.ptx"));
            assert_eq!(ask(&question("file:///kept.ptx")), fresh, "{body}");
        }
    }

    #[test]
    fn an_edit_between_texts_makes_one_of_the_other() {
        let texts = ["", "a", "aa", "ab", "ba", "ä", "ö", "aäb", "aöb", "aäöb", "äa", "€", "₭", "a\nb\n", "a\n"];
        for before in texts {
            for after in texts {
                let mut made = before.to_owned();
                if let Some((range, new)) = edit_between(before, after) {
                    made.replace_range(range, new);
                }
                assert_eq!(made, after, "of {before:?}");
            }
        }
    }

    #[test]
    fn settings_of_the_client_apply_and_are_named_as_the_source_of_the_target() {
        let requests = json!([
            {"method": "textDocument/diagnostic", "params": {}},
            {"method": "ptxAtomics/target", "params": {}},
        ]);
        let text = text_of("atom.add.f64 a, [p], a;");
        let settings = json!({"ptxAtomics": {"target": "sm_100", "disable": ["illegal-type"]}});
        let answers = ask(&json!({"uri": "file:///k.ptx", "text": text, "settings": settings, "requests": requests}));
        let items = answers[0]["result"]["items"].as_array().unwrap();
        assert!(items.iter().all(|found| found["code"] != "illegal-type"), "{items:?}");
        assert_eq!(answers[1]["result"], json!({"targets": ["sm_100"], "source": "editor", "file": null}));
    }

    #[test]
    fn the_capabilities_leave_out_what_needs_a_workspace() {
        let initialize = json!({"method": "initialize", "params": {}});
        let answers = ask(&json!({"uri": "file:///k.ptx", "text": "", "requests": [initialize]}));
        let capabilities = &answers[0]["result"]["capabilities"];
        assert_eq!(capabilities["hoverProvider"], true);
        assert_eq!(capabilities["diagnosticProvider"]["workspaceDiagnostics"], false);
        assert_eq!(capabilities["workspaceSymbolProvider"], Value::Null);
        assert_eq!(capabilities["textDocumentSync"]["change"], 1);
    }
}
