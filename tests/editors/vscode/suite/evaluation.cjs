// What atomics and litmus tests do: evaluation comments, inlay hints, executions.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { until, api, open, openTally, at, edit, configure, text } = require('./support.cjs');

module.exports = {
  async 'the executions of a litmus test are shown, and follow the text'() {
    const document = await open('handover.litmus');
    await until('the server', () => /PTX litmus/.test(api().status()));
    const claim = at(document, 'exists', 2);
    vscode.window.activeTextEditor.selection = new vscode.Selection(claim, claim);
    await vscode.commands.executeCommand('ptxAtomics.showExecutions');
    const outcomes = (wanted) => api().executions().executions.filter((one) => (one.forbidden === null) === wanted).map((one) => one.outcome);
    const stale = '1:r0=1 1:r1=0';
    assert.deepEqual(outcomes(true), ['1:r0=0 1:r1=0', '1:r0=0 1:r1=1', '1:r0=1 1:r1=1']);
    assert.deepEqual(outcomes(false), [stale]);
    const { executions, decisive } = api().executions();
    assert.equal(executions[decisive].outcome, stale, 'the one that the test asks about');
    assert.match(executions[decisive].forbidden, /^Causality: /);
    assert.match(executions[decisive].text, /--fr-->|--cause-->/);
    assert.ok(executions.every((one) => one.svg.startsWith('<svg') && one.svg.includes('ld.acquire.gpu r0, flag')));
    const hover = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, claim);
    assert.match(text(hover), /data:image\/svg\+xml;base64,/);
    const release = at(document, 'release.gpu');
    await edit(document, new vscode.Range(release, release.translate(0, 'release'.length)), 'relaxed');
    await until('four outcomes', () => outcomes(true).length === 4 && outcomes(false).length === 0);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until('three outcomes', () => outcomes(true).length === 3);
    await vscode.commands.executeCommand('workbench.action.closeEditorsInOtherGroups');
    await until('no panel', () => api().executions() === undefined);
  },

  async 'evaluation comments show what the hardware computes'() {
    const document = await openTally();
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', document.uri, whole);
    const shown = hints.map((hint) => [hint.position.line, typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('')]);
    const behind = (word) => shown.filter(([line, what]) => line === at(document, word).line && what.includes('→')).map(([, what]) => what);
    assert.match(behind('%r2, [ticket]').join(), /\[a\]=7, d=6/);
    assert.match(behind('%r3, [ticket]').join(), /\[a\]=0, d=7/);
    assert.match(behind('red.relaxed').join(), /\[a\]=0\.0/);
  },

  async 'inlay hints follow their settings'() {
    const document = await openTally();
    const ask = async () => {
      const hints = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', document.uri, new vscode.Range(0, 0, document.lineCount, 0));
      return hints.map((hint) => (typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('')));
    };
    const shown = async () => (await ask()).filter((one) => /relaxed|gpu|generic/.test(one));
    assert.deepEqual(await shown(), [], 'off by default');
    await configure('inlayHints.semantics', true);
    await until('an ordering', async () => (await shown()).some((one) => one.includes('relaxed')));
    await configure('inlayHints.semantics', undefined);
    await until('no ordering', async () => (await shown()).length === 0);
  },

  async 'evaluate here asks for values and shows the result until the line changes'() {
    const document = await openTally();
    const place = at(document, 'atom.global.inc.u32 %r3', 2);
    vscode.window.activeTextEditor.selection = new vscode.Selection(place, place);
    const running = vscode.commands.executeCommand('ptxAtomics.evaluateHere');
    const shown = () => api().results(document.uri);
    await until('the result', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return shown().length === 1;
    });
    await running;
    assert.equal(shown()[0].line, place.line);
    assert.match(shown()[0].text, /\[a\]=/);
    await edit(document, new vscode.Range(0, 0, 0, 0), '// one line more\n');
    await until('the result one line below', () => shown()[0]?.line === place.line + 1);
    await edit(document, document.lineAt(place.line + 1).range, '    bar.sync 0;');
    await until('no result', () => shown().length === 0);
  },
};
