// Which language a file has, and what is checked in it.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { until, root, diagnostics, codes, extension, api, open, servers } = require('./support.cjs');

module.exports = {
  async 'a text that is no PTX opens as another language, and no server starts for it'() {
    const pretext = await open('article.ptx');
    await until('another language', () => vscode.window.activeTextEditor.document.languageId === 'xml');
    assert.equal(diagnostics(pretext).length, 0);
    await open('other.litmus');
    await until('another language', () => vscode.window.activeTextEditor.document.languageId === 'plaintext');
    await until('the extension', () => extension().isActive);
    await open('styles.sass');
    await until('another language', () => vscode.window.activeTextEditor.document.languageId === 'plaintext');
    assert.deepEqual(await servers(), []);
    assert.equal(api().status(), '');
  },

  async 'machine code is checked too'() {
    const document = await open('reduce.sass');
    await until('the diagnostic', () => codes(document).join() === 'illegal-type');
    const [diagnostic] = diagnostics(document);
    assert.equal(document.getText(diagnostic.range), '.F32');
    await until('the status', () => /SASS · 1 error$/.test(api().status()));
    assert.ok((await vscode.commands.executeCommand('vscode.provideDocumentSemanticTokens', document.uri)).data.length > 0);
  },

  async 'a listing is recognised by its text, wherever its first instruction is'() {
    const data = Array(600).fill('        /*0000*/ \t.byte\t0xff, 0xff, 0xff, 0xff').join('\n');
    const code = '\t.section\t.text.tally,"ax",@progbits\n        /*0000*/                   REDG.E.ADD.F32.STRONG.GPU desc[UR4][R2.64], R0;\n';
    // As nvdisasm 13.5 begins, and a part of a listing without a head.
    for (const [name, head] of [['head.sass', '\t.target\tsm_90\n\n\t.elftype\t@"ET_EXEC"\n\n'], ['part.sass', '']]) {
      const uri = vscode.Uri.joinPath(root(), name);
      await vscode.workspace.fs.writeFile(uri, Buffer.from(`${head}.debug_frame:\n${data}\n${code}`));
      const document = await open(name);
      await until('the status', () => /SASS/.test(api().status()));
      assert.equal(document.languageId, 'nvsass');
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await vscode.workspace.fs.delete(uri);
    }
  },

  async 'litmus tests of PTX are checked too'() {
    const document = await open('message.litmus');
    assert.equal(document.languageId, 'ptx-litmus');
    await until('the diagnostic', () => diagnostics(document).length === 1);
    assert.equal(document.getText(diagnostics(document)[0].range), 'st.acquire.gpu.u32');
    await until('the status', () => /PTX litmus · 1 error$/.test(api().status()));
  },
};
