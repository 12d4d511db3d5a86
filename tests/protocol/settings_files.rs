//! Settings files: which applies, how changes take effect, and how their errors are reported.

use crate::client::{Client, editor};
use crate::settings::{NEEDS_SM_90, codes};
use serde_json::{Value, json};

#[test]
fn the_target_in_force_is_given_with_its_source() {
    let folder = Folder::new("target");
    let (uri, file) = (folder.uri("kernel.ptx"), folder.uri("ptx-atomics.toml"));
    let asked = json!({"textDocument": {"uri": uri}});
    let start = |options: Value| {
        let mut client = Client::start();
        client.initialize(json!({"capabilities": {}, "initializationOptions": options}));
        client.open(&uri, 1, NEEDS_SM_90);
        client
    };
    let mut client = start(json!({}));
    assert_eq!(client.request("ptxAtomics/target", asked.clone()), Ok(Value::Null), "the module's");
    client.leave();

    folder.write("ptx-atomics.toml", "targets = [\"sm_80\", \"sm_90\"]\n");
    let mut client = start(json!({}));
    let expected = json!({"targets": ["sm_80", "sm_90"], "source": "file", "file": file});
    assert_eq!(client.request("ptxAtomics/target", asked.clone()), Ok(expected));
    client.leave();

    let mut client = start(json!({"target": "sm_70"}));
    let expected = json!({"targets": ["sm_70"], "source": "editor", "file": null});
    assert_eq!(client.request("ptxAtomics/target", asked), Ok(expected));
    client.leave();
}

#[test]
fn a_diagnostic_names_what_sets_the_target_and_offers_to_change_it_there() {
    let folder = Folder::new("origin");
    let (uri, file) = (folder.uri("a.ptx"), folder.uri("ptx-atomics.toml"));
    let text = "# the oldest\ntargets = [\"sm_90\", \"sm_80\"]\n";
    for versioned in [false, true] {
        folder.write("ptx-atomics.toml", text);
        let mut capabilities = editor();
        capabilities["workspace"] = json!({"workspaceEdit": {"documentChanges": versioned}});
        let mut client = Client::with(capabilities);
        client.open(&uri, 1, NEEDS_SM_90);
        let found = client.diagnostics(&uri, 1);
        let message = found[0]["message"].as_str().expect("text");
        assert!(message.starts_with("`.cluster` requires sm_90, but `ptx-atomics.toml` targets sm_80"), "{message}");
        assert!(message.ends_with("; or change the target to sm_90 in `ptx-atomics.toml`"), "{message}");
        let range = json!({"start": {"line": 1, "character": 20}, "end": {"line": 1, "character": 27}});
        let related = json!([{"location": {"uri": file, "range": range}, "message": "target set here"}]);
        assert_eq!(found[0]["relatedInformation"], related);
        let context = json!({"diagnostics": found, "only": ["quickfix"]});
        let params = json!({"textDocument": {"uri": uri}, "range": found[0]["range"], "context": context});
        let actions = client.request("textDocument/codeAction", params).expect("succeeds");
        let title = "Change the target to sm_90 in `ptx-atomics.toml`";
        let mut actions = actions.as_array().expect("a list").iter();
        let action = actions.find(|action| action["title"] == title).unwrap_or_else(|| panic!("no {title}"));
        let edits = match versioned {
            true => {
                let change = &action["edit"]["documentChanges"][0];
                assert_eq!(change["textDocument"], json!({"uri": file, "version": null}));
                change["edits"].clone()
            }
            false => action["edit"]["changes"][&file].clone(),
        };
        assert_eq!(edits, json!([{"range": range, "newText": "\"sm_90\""}]));
        folder.write("ptx-atomics.toml", "target = \"sm_90\"\n");
        client.notify("textDocument/didSave", json!({"textDocument": {"uri": file}}));
        assert_eq!(client.diagnostics(&uri, 1), [] as [Value; 0]);
        client.notify("workspace/didChangeConfiguration", json!({"settings": {"ptxAtomics": {"target": "sm_70"}}}));
        let found = client.diagnostics(&uri, 1);
        let message = found[0]["message"].as_str().expect("text");
        assert!(message.contains("but the editor configuration targets sm_70"), "{message}");
        assert!(message.ends_with("; or change the target to sm_90 in the editor configuration"), "{message}");
        client.leave();
    }
}

#[test]
fn a_ptx_version_of_a_settings_file_has_a_link_and_a_fix() {
    let folder = Folder::new("version-origin");
    let (uri, file) = (folder.uri("a.ptx"), folder.uri("ptx-atomics.toml"));
    let range = |line: u32, start: u32, end: u32| json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}});
    let (target, version) = (range(0, 9, 16), range(1, 14, 19));
    for (text, what, title, expected) in [
        (
            "# the oldest\nptx-version = \"7.5\"\n",
            "requires PTX 7.8, but `ptx-atomics.toml` sets PTX version 7.5\n",
            "Change the PTX version to 7.8 in `ptx-atomics.toml`",
            json!([{"range": version, "newText": "\"7.8\""}]),
        ),
        (
            "target = \"sm_80\"\nptx-version = \"7.5\"\n",
            "requires sm_90 and PTX 7.8, but `ptx-atomics.toml` targets sm_80 and sets PTX version 7.5\n",
            "Change the target to sm_90 and the PTX version to 7.8 in `ptx-atomics.toml`",
            json!([{"range": target, "newText": "\"sm_90\""}, {"range": version, "newText": "\"7.8\""}]),
        ),
    ] {
        folder.write("ptx-atomics.toml", text);
        let mut client = Client::with(editor());
        client.open(&uri, 1, NEEDS_SM_90);
        let found = client.diagnostics(&uri, 1);
        let at_cluster = |one: &&Value| one["message"].as_str().is_some_and(|message| message.contains(what));
        let diagnostic = found.iter().find(at_cluster).unwrap_or_else(|| panic!("{what} is in {found:?}"));
        let places = diagnostic["relatedInformation"].as_array().expect("a list").iter();
        let linked: Vec<_> = places.map(|place| place["location"].clone()).collect();
        let ranges = expected.as_array().expect("a list").iter().map(|edit| edit["range"].clone());
        assert_eq!(linked, ranges.map(|range| json!({"uri": file, "range": range})).collect::<Vec<_>>());
        let context = json!({"diagnostics": found, "only": ["quickfix"]});
        let params = json!({"textDocument": {"uri": uri}, "range": diagnostic["range"], "context": context});
        let actions = client.request("textDocument/codeAction", params).expect("succeeds");
        let mut actions = actions.as_array().expect("a list").iter();
        let action = actions.find(|action| action["title"] == title).unwrap_or_else(|| panic!("no {title}"));
        assert_eq!(action["edit"]["changes"][&file], expected);
        client.leave();
    }
}

/// A folder of a test's own, gone afterwards.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ptx-atomics-protocol-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("inner")).expect("can be made");
        Folder(path)
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.0.join(file), text).expect("can be written");
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}", self.0.join(file).display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_nearest_project_file_applies_and_is_reloaded_when_it_changes() {
    let folder = Folder::new("nearest");
    folder.write("ptx-atomics.toml", "target = \"sm_80\"\n");
    let (outer, inner) = (folder.uri("a.ptx"), folder.uri("inner/a.ptx"));
    folder.write("inner/ptx-atomics.toml", "target = \"sm_90\"\n");
    let mut client = Client::with(json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}));
    let registration = client.asked("client/registerCapability");
    assert_eq!(registration["params"]["registrations"][0]["method"], "workspace/didChangeWatchedFiles");
    client.answer(&registration, Value::Null);
    client.open(&outer, 1, NEEDS_SM_90);
    client.open(&inner, 1, NEEDS_SM_90);
    assert_eq!(codes(&client.diagnostics(&outer, 1)), ["requires-target"]);
    assert_eq!(client.diagnostics(&inner, 1), [] as [Value; 0]);

    folder.write("inner/ptx-atomics.toml", "target = \"sm_80\"\n");
    let change = json!({"changes": [{"uri": folder.uri("inner/ptx-atomics.toml"), "type": 2}]});
    client.notify("workspace/didChangeWatchedFiles", change.clone());
    assert_eq!(codes(&client.diagnostics(&inner, 1)), ["requires-target"]);
    folder.write("inner/ptx-atomics.toml", "disable = [\"requires-target\"]\ntarget = \"sm_80\"\n");
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": inner}}));
    assert_eq!(client.diagnostics(&inner, 1), [] as [Value; 0], "a rule that is off is silent");

    client.notify("workspace/didChangeConfiguration", json!({"settings": {"ptxAtomics": {"target": "sm_90"}}}));
    assert_eq!(client.diagnostics(&outer, 1), [] as [Value; 0], "the client goes before the file");

    // An invalid file is reported once, and its former settings remain.
    folder.write("inner/ptx-atomics.toml", "taget = \"sm_80\"\n");
    client.notify("workspace/didChangeWatchedFiles", change.clone());
    client.notify("workspace/didChangeWatchedFiles", change);
    let warning = client.wait("a warning", |message| message["method"] == "window/showMessage");
    let text = warning["params"]["message"].as_str().expect("text").to_owned();
    assert!(text.contains("ptx-atomics.toml") && text.contains("taget"), "{text}");
    client.change(&inner, 2, json!([{"text": NEEDS_SM_90}]));
    client.diagnostics(&inner, 2);
    assert!(!client.unclaimed().iter().any(|message| message["method"] == "window/showMessage"), "once is enough");
    client.leave();
}

#[test]
fn excluded_documents_have_no_diagnostics_and_every_other_feature() {
    let folder = Folder::new("excluded");
    folder.write("ptx-atomics.toml", "target = \"sm_80\"\nexclude = [\"inner/\"]\n");
    let (outer, inner) = (folder.uri("a.ptx"), folder.uri("inner/a.ptx"));
    let mut client = Client::with(json!({}));
    client.open(&outer, 1, NEEDS_SM_90);
    client.open(&inner, 1, NEEDS_SM_90);
    assert_eq!(codes(&client.diagnostics(&outer, 1)), ["requires-target"]);
    assert_eq!(client.diagnostics(&inner, 1), [] as [Value; 0]);
    let pulled = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": inner}}));
    assert_eq!(pulled.expect("succeeds")["items"], json!([]));
    let hover = client.ask_at("textDocument/hover", &inner, 8, 6);
    assert!(client.reply(hover).expect("succeeds").is_object());

    folder.write("ptx-atomics.toml", "target = \"sm_80\"\n");
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": inner}}));
    assert_eq!(codes(&client.diagnostics(&inner, 1)), ["requires-target"], "no longer excluded");
    client.leave();
}

#[test]
fn preset_and_rules_of_the_editor_override_the_file() {
    let folder = Folder::new("preset");
    let uri = folder.uri("a.ptx");
    let text = NEEDS_SM_90.replace("atom.relaxed.cluster.global.add", "atom.add.global");
    for (file, editor, expected) in [
        ("preset = \"recommended\"", json!({"rules": {"modifier-order": "hint"}}), true),
        ("preset = \"all\"", json!({"preset": "recommended"}), false),
        ("preset = \"recommended\"", json!({"preset": "all"}), true),
        ("rules = { modifier-order = \"off\" }", json!({"rules": {"modifier-order": "error"}}), true),
        ("rules = { modifier-order = \"error\" }", json!({"rules": {"modifier-order": "off"}}), false),
        ("rules = { modifier-order = \"error\" }", json!({"preset": "recommended"}), true),
    ] {
        folder.write("ptx-atomics.toml", file);
        let mut client = Client::start();
        client.initialize(json!({"capabilities": {}, "initializationOptions": editor}));
        client.open(&uri, 1, &text);
        assert_eq!(codes(&client.diagnostics(&uri, 1)).contains(&"modifier-order"), expected, "{file} {editor}");
        client.leave();
    }
}

/// The text and the message of each diagnostic of a settings file.
fn errors(text: &str, found: &[Value]) -> Vec<(String, String)> {
    let word = |one: &Value| {
        let line =
            text.lines().nth(one["range"]["start"]["line"].as_u64().expect("a line") as usize).expect("is there");
        let column = |end: &str| one["range"][end]["character"].as_u64().expect("a column") as usize;
        line[column("start")..column("end")].to_owned()
    };
    found.iter().map(|one| (word(one), one["message"].as_str().expect("text").to_owned())).collect()
}

#[test]
fn every_error_of_a_settings_file_is_shown_while_it_is_typed() {
    let folder = Folder::new("typed");
    let (uri, module) = (folder.uri("ptx-atomics.toml"), folder.uri("a.ptx"));
    let text = "taget = \"sm_80\"\nenable = [\"modifier-ordr\", 1]\nexclude = [\"a{\"]\n[rules]\nillegal-type = \"never\"\nx =\n";
    folder.write("ptx-atomics.toml", "target = \"sm_80\"\n");
    let mut client = Client::with(json!({}));
    client.open(&module, 1, NEEDS_SM_90);
    assert_eq!(codes(&client.diagnostics(&module, 1)), ["requires-target"]);
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "toml", "version": 1, "text": text}}),
    );
    let found = errors(text, &client.diagnostics(&uri, 1));
    let words: Vec<_> = found.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(words[..5], ["taget", "\"modifier-ordr\"", "1", "\"a{\"", "\"never\""], "{found:?}");
    assert!(found[0].1.contains("did you mean `target`?") && found.len() == 6, "{found:?}");

    let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 6, "character": 0}});
    client.change(&uri, 2, json!([{"range": range, "text": "target = \"sm_90\"\n"}]));
    assert_eq!(errors(text, &client.diagnostics(&uri, 2)).len(), 1, "the first line is left");
    client.change(&uri, 3, json!([{"text": "target = \"sm_90\"\n"}]));
    assert_eq!(client.diagnostics(&uri, 3), [] as [Value; 0]);
    for method in ["textDocument/hover", "textDocument/completion"] {
        let asked = client.ask_at(method, &uri, 0, 1);
        assert_eq!(client.reply(asked), Ok(Value::Null), "{method}");
    }
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let formatting = json!({"textDocument": {"uri": uri}, "options": options});
    assert_eq!(client.request("textDocument/formatting", formatting), Ok(Value::Null));
    client.leave();
}

#[test]
fn errors_of_a_settings_file_on_disk_are_shown_in_it_until_they_are_fixed() {
    let folder = Folder::new("on-disk");
    let (uri, module) = (folder.uri("ptx-atomics.toml"), folder.uri("a.ptx"));
    let text = "target = \"sm_81\"\npreset = \"foo\"\n";
    folder.write("ptx-atomics.toml", text);
    let mut client = Client::with(json!({}));
    client.open(&module, 1, NEEDS_SM_90);
    let publishes = |message: &Value| message["params"]["uri"] == json!(uri);
    let shown = client.wait("the errors", publishes);
    let found = errors(text, shown["params"]["diagnostics"].as_array().expect("a list"));
    assert_eq!(found.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>(), ["\"sm_81\"", "\"foo\""]);
    let warning = client.wait("a warning", |message| message["method"] == "window/showMessage");
    let message = warning["params"]["message"].as_str().expect("text");
    assert!(message.ends_with("(and 1 more)"), "{message}");

    folder.write("ptx-atomics.toml", "target = \"sm_80\"\n");
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    let cleared = client.wait("the clearing", publishes);
    assert_eq!(cleared["params"]["diagnostics"], json!([]));
    // Without a target there was none; the module is checked again with the new one.
    client.wait("the error of the module", |message| {
        let params = &message["params"];
        params["uri"] == json!(module) && params["diagnostics"][0]["code"] == "requires-target"
    });
    client.leave();
}

#[test]
fn the_log_has_the_version_the_settings_and_errors() {
    let folder = Folder::new("log");
    let module = folder.uri("a.ptx");
    folder.write("ptx-atomics.toml", "preset = \"strict\"\nrules = { illegal-type = \"off\" }\n");
    let mut client = Client::start();
    client.initialize(json!({"capabilities": {}, "initializationOptions": {"target": "sm_80"}}));
    client.open(&module, 1, NEEDS_SM_90);
    client.diagnostics(&module, 1);
    folder.write("ptx-atomics.toml", "preset = \"foo\"\n");
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": module}}));
    for line in [
        "ptx-atomics ".to_owned() + env!("CARGO_PKG_VERSION"),
        "settings of the command line and the editor: targets: sm_80".to_owned(),
        "ptx-atomics.toml: preset: strict; rules: illegal-type = off".to_owned(),
        "ptx-atomics.toml: line 1: unknown preset `foo`; expected one of recommended, strict, all".to_owned(),
    ] {
        let is_line = |message: &Value| {
            message["method"] == "window/logMessage"
                && message["params"]["message"].as_str().is_some_and(|text| text.ends_with(&line))
        };
        client.wait(&line, is_line);
    }
    client.leave();
}
