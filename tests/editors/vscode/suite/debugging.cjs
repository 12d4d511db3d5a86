// The debugger of kernels, by the commands of the editor.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { until, root, open, at } = require('./support.cjs');

/** Debugs `count.ptx`, whose 32 threads lose updates of one variable; `drive` gets what it needs. */
async function debugged(configuration, drive) {
  const document = await open('count.ptx');
  const stops = [];
  const tracker = vscode.debug.registerDebugAdapterTrackerFactory('ptx-atomics', {
    createDebugAdapterTracker: () => ({ onDidSendMessage: (message) => message.event === 'stopped' && stops.push(message.body) }),
  });
  try {
    const launch = { type: 'ptx-atomics', request: 'launch', name: 'count', program: document.fileName, block: 32, args: { total: 'u32[1]' } };
    assert.ok(await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(root()), { ...launch, ...configuration }));
    const session = await until('the session', () => vscode.debug.activeDebugSession);
    let seen = 0;
    const stopped = async () => {
      await until('a stop', () => stops.length > seen);
      seen = stops.length;
      const stop = stops.at(-1);
      await until('the thread in the window', () => vscode.debug.activeStackItem?.frameId !== undefined && vscode.debug.activeStackItem.threadId === stop.threadId);
      return stop;
    };
    const command = async (name) => {
      await vscode.commands.executeCommand(`workbench.action.debug.${name}`);
      return stopped();
    };
    /** The line (from 1) of a thread. */
    const line = async (threadId) => (await session.customRequest('stackTrace', { threadId })).stackFrames[0].line;
    const frame = async (threadId) => (await session.customRequest('stackTrace', { threadId })).stackFrames[0].id;
    const value = async (expression, threadId) => (await session.customRequest('evaluate', { expression, frameId: await frame(threadId) })).result;
    await drive({ document, session, stopped, command, line, frame, value });
  } finally {
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await vscode.commands.executeCommand('workbench.action.debug.stop');
    await until('the end of the session', () => vscode.debug.activeDebugSession === undefined);
    tracker.dispose();
  }
}

module.exports = {
  async 'a kernel stops at a breakpoint, steps forwards and backwards, and shows registers'() {
    const place = at(await open('count.ptx'), 'add.u32');
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(new vscode.Location(vscode.window.activeTextEditor.document.uri, place))]);
    await debugged({}, async ({ stopped, command, line, value }) => {
      const { reason, threadId } = await stopped();
      assert.deepEqual([reason, await line(threadId)], ['breakpoint', place.line + 1]);
      assert.equal(await value('%r1', threadId), '0');
      assert.equal(await value('%r2', threadId), '0 (undefined)');
      assert.equal((await command('stepOver')).reason, 'step');
      assert.deepEqual([await line(threadId), await value('%r2', threadId)], [place.line + 2, '1']);
      assert.equal((await command('stepBack')).reason, 'step');
      assert.deepEqual([await line(threadId), await value('%r2', threadId)], [place.line + 1, '0 (undefined)']);
    });
  },

  async 'without a launch configuration, the launch of the kernel is asked for'() {
    await open('count.ptx');
    const starting = debugged({ program: undefined, block: undefined, args: undefined }, async ({ stopped, line, value }) => {
      const { reason, threadId } = await stopped();
      assert.deepEqual([reason, await line(threadId), await value('%ntid.x', threadId)], ['entry', 8, '32']);
    });
    let ended = false;
    starting.finally(() => (ended = true)).catch(() => undefined);
    await until('the launch to be accepted', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return vscode.debug.activeDebugSession || ended;
    });
    await starting;
  },

  async 'a register can be set, and the run goes on with it'() {
    await debugged({ stopOnEntry: true }, async ({ session, stopped, command, frame, value }) => {
      const { threadId } = await stopped();
      for (let step = 0; step < 2; step += 1) await command('stepOver');
      const { scopes } = await session.customRequest('scopes', { frameId: await frame(threadId) });
      const registers = scopes.find((scope) => scope.name === 'Registers').variablesReference;
      const set = await session.customRequest('setVariable', { variablesReference: registers, name: '%r1', value: '41' });
      assert.equal(set.value, '41 (0x29)');
      await command('stepOver');
      assert.equal(await value('%r2', threadId), '42 (0x2a)');
    });
  },

  async 'a kernel stops at a mistake, and the update is lost before it'() {
    await debugged({}, async ({ document, session, stopped, command, line, value }) => {
      const { reason, description, threadId } = await stopped();
      const store = at(document, 'st.global').line + 1;
      assert.deepEqual([reason, description, await line(threadId)], ['exception', 'data-race', store]);
      assert.equal((await session.customRequest('exceptionInfo', { threadId })).exceptionId, 'data-race');
      assert.equal(await value('total[0]', threadId), '1');
      await command('stepBack');
      assert.deepEqual([await value('total[0]', threadId), await value('%r1', 6)], ['0', '0']);
    });
  },
};
