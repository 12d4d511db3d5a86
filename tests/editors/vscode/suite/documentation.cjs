// Hover and pages.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { openTally, at, text } = require('./support.cjs');

module.exports = {
  async 'hover documents the instruction'() {
    const document = await openTally();
    const hover = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at(document, 'atom.global.inc', 1));
    assert.match(text(hover), /atom/);
    assert.match(text(hover), /scope/i);
  },

  async 'hover on a wrong instruction has the closest forms and a link to its page'() {
    const document = await openTally();
    const hover = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at(document, 'atom.global.or', 1));
    assert.match(text(hover), /Closest legal forms:\n\n- `atom\.global\.or\.b32`/);
    assert.match(text(hover), /\(command:ptxAtomics\.showForms\?%5B%22atom%22%5D\)/);
    const page = await vscode.commands.executeCommand('ptxAtomics.showForms', 'atom');
    assert.equal(page.path, '/atom.md');
  },

  async 'the forms of an instruction open as a page'() {
    const document = await openTally();
    const place = at(document, 'atom.global.inc', 2);
    vscode.window.activeTextEditor.selection = new vscode.Selection(place, place);
    const uri = await vscode.commands.executeCommand('ptxAtomics.showForms');
    assert.equal(uri.path, '/atom.global.inc.u32.md');
    const page = await vscode.workspace.openTextDocument(uri);
    assert.match(page.getText(), /atom/);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  },
};
