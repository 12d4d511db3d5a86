// Diagnostics and their fixes, and the settings that change them.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { until, root, diagnostics, codes, api, openTally, edit, configure, servers } = require('./support.cjs');

module.exports = {
  async 'the diagnostic is on the token that is wrong'() {
    const document = await openTally();
    assert.equal(document.languageId, 'ptx');
    const [diagnostic] = diagnostics(document);
    assert.equal(document.getText(diagnostic.range), '.u32');
    assert.ok(document.lineAt(diagnostic.range.start.line).text.includes('atom.global.or'));
    assert.equal(diagnostic.severity, vscode.DiagnosticSeverity.Error);
    const page = await vscode.workspace.openTextDocument(diagnostic.code.target);
    assert.match(page.getText(), /illegal-type/, 'the code leads to its page');
    assert.equal((await servers()).length, 1, 'one server, the bundled one');
  },

  async 'a quick fix repairs the line'() {
    const document = await openTally();
    const [diagnostic] = diagnostics(document);
    let fix;
    // One request may be cancelled by another of its kind, such as that of the light bulb.
    await until('a fix with .b32', async () => {
      const actions = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, diagnostic.range, 'quickfix');
      fix = actions.find((one) => one.edit && one.title.includes('.b32'));
      return fix;
    });
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    assert.ok(document.getText().includes('atom.global.or.b32 %r4'));
    await until('no diagnostic', () => diagnostics(document).length === 0);
  },

  async 'suppressions are one action, the last'() {
    const document = await openTally();
    const [diagnostic] = diagnostics(document);
    let titles;
    await until('the actions', async () => {
      const actions = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, diagnostic.range);
      titles = actions.map((one) => one.title);
      return titles.length > 1;
    });
    assert.deepEqual(titles.filter((title) => title.startsWith('Suppress')), ['Suppress …']);
    assert.equal(titles.at(-1), 'Suppress …');
  },

  async 'another target gives other diagnostics'() {
    const document = await openTally();
    await configure('target', 'sm_60');
    await until('what sm_60 lacks', () => codes(document).includes('requires-target'));
    await until('the status', () => api().status().includes('sm_60 (settings)'));
    await configure('target', undefined);
    await until("the module's own target", () => codes(document).join() === 'illegal-type');
  },

  async 'every error of the settings file is shown while it is edited'() {
    const file = vscode.Uri.joinPath(root(), 'ptx-atomics.toml');
    await vscode.workspace.fs.writeFile(file, Buffer.from(''));
    const document = await vscode.workspace.openTextDocument(file);
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'taget = "sm_60"\npreset = "foo"\n'));
    await until('both errors', () => diagnostics(document).length === 2);
    assert.deepEqual(diagnostics(document).map((diagnostic) => document.getText(diagnostic.range)), ['taget', '"foo"']);
    await editor.edit((edit) => edit.delete(new vscode.Range(0, 0, 2, 0)));
    await until('no error', () => diagnostics(document).length === 0);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(file);
  },

  async 'a rule can be switched off'() {
    const document = await openTally();
    await configure('disable', ['illegal-type']);
    await until('no diagnostic', () => diagnostics(document).length === 0);
    await configure('disable', undefined);
    await until('the diagnostic', () => diagnostics(document).length === 1);
  },
};
