/** What the entry points of the desktop and of the browser share: registers commands and starts the client. */
import * as vscode from 'vscode';
import { Results } from './evaluation';
import { Panel, type Executions } from './executions';
import { ExecutionsLenses } from './lenses';
import { assignLanguage } from './foreign';
import { kernelAt } from './kernelAt';
import { KernelChecks } from './kernelChecks';
import { KernelProblems } from './kernelProblems';
import { KernelRuns } from './kernelRuns';
import { Pages, topics } from './pages';
import type { Platform } from './platform';
import { CHECK, RUN } from './requests';
import { SECTION, setTarget, target } from './settings';
import { Service } from './service';
import { goToPtx, goToSource } from './sourceLines';
import { Status } from './status';
import { suppress } from './suppressions';

/** The interface for tests and other extensions. */
export interface Api {
  status(): string;
  results(uri: vscode.Uri): { line: number; text: string }[];
  /** The texts after the lines of a document after a run. */
  runs(uri: vscode.Uri): { line: number; text: string }[];
  executions(): Executions | undefined;
}

let service: Service | undefined;

export async function activateOn(context: vscode.ExtensionContext, platform: Platform): Promise<Api> {
  const output = vscode.window.createOutputChannel('PTX Atomics');
  const status = new Status(async (document) => (await service?.target(document)) ?? null);
  const results = new Results();
  const pages = new Pages((topic) => platform.explain(topic));
  const problems = new KernelProblems();
  const runs = new KernelRuns(context.workspaceState, output, problems);
  const checks = new KernelChecks(problems);
  const server = new Service(context, platform, output, status, results, runs, checks);
  service = server;
  const panel = new Panel((document, position) => server.executions(document, position));
  context.subscriptions.push(output, status, results, runs, problems, pages, panel, new ExecutionsLenses());
  platform.registerDebugger(context, runs);

  const commands: Record<string, (...values: never[]) => unknown> = {
    evaluateHere: () => vscode.window.activeTextEditor && server.evaluateHere(vscode.window.activeTextEditor),
    showForms: (topic?: string) => showForms(pages, topic),
    showExecutions: (uri?: vscode.Uri, line?: number) => showExecutions(panel, uri, line),
    runKernel: () => withKernel(RUN),
    checkKernel: () => withKernel(CHECK),
    debugKernel: () => vscode.debug.startDebugging(undefined, { type: 'ptx-atomics', request: 'launch', name: 'Debug kernel' }),
    showMemory: () => withEditor((uri) => runs.showMemory(uri.toString())),
    goToSource: () => vscode.window.activeTextEditor && goToSource(vscode.window.activeTextEditor),
    goToPtx: () => vscode.window.activeTextEditor && goToPtx(vscode.window.activeTextEditor),
    chooseThread: () => withEditor((uri) => runs.chooseThread(uri.toString())),
    clearRun: () => withEditor((uri) => runs.clear(uri)),
    suppress: (actions: vscode.CodeAction[]) => suppress(actions),
    setTarget: () => pickTarget(context),
    restart: () => server.restart(),
    showLog: () => output.show(),
    menu,
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`${SECTION}.${name}`, run));
  }

  const opened = async (documents: readonly vscode.TextDocument[]): Promise<void> => {
    await Promise.all(documents.map(assignLanguage));
    await server.wanted(documents);
  };
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument((document) => opened([document])),
    // A file may have got its first PTX.
    vscode.workspace.onDidSaveTextDocument((document) => server.wanted([document])),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const changed = (key: string): boolean => event.affectsConfiguration(`${SECTION}.${key}`);
      if (['server.path', 'server.arguments', 'cuda.enable', 'python.enable'].some(changed)) void server.reconfigured();
    }),
  );
  await opened(vscode.workspace.textDocuments);
  return { status: () => status.text, results: (uri) => results.of(uri.toString()), runs: (uri) => runs.of(uri), executions: () => panel.shown };
}

export async function deactivate(): Promise<void> {
  await service?.stop();
}

function withEditor(act: (uri: vscode.Uri) => unknown): unknown {
  const editor = vscode.window.activeTextEditor;
  return editor && act(editor.document.uri);
}

/** Executes the command of a lens on the kernel at the cursor. */
async function withKernel(command: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const kernel = editor && (await kernelAt(editor, command));
  if (kernel) await vscode.commands.executeCommand(command, kernel);
  else void vscode.window.showInformationMessage('No kernel here: open a PTX module');
}

/** Shows the executions of the test on a line, or at the cursor. The title button passes a URI without a line. */
async function showExecutions(panel: Panel, uri?: vscode.Uri, line?: number): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (uri !== undefined && typeof line === 'number') return panel.show(await vscode.workspace.openTextDocument(uri), new vscode.Position(line, 0));
  if (editor) await panel.show(editor.document, editor.selection.active);
}

/** Opens the page of a topic, or of the instruction at the cursor. */
async function showForms(pages: Pages, topic?: string): Promise<vscode.Uri | undefined> {
  if (typeof topic === 'string') return pages.open([topic]);
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { line, character } = editor.selection.active;
  return pages.open(topics(editor.document.lineAt(line).text, character));
}

/** The targets that the setting offers, as the manifest lists them. */
function targets(context: vscode.ExtensionContext): string[] {
  const manifest = context.extension.packageJSON as {
    contributes: { configuration: { properties: Record<string, { enum?: string[] }> } };
  };
  return manifest.contributes.configuration.properties[`${SECTION}.target`]?.enum ?? [];
}

async function pickTarget(context: vscode.ExtensionContext): Promise<void> {
  const now = target();
  const items = targets(context).map((label) => ({
    label: label === '' ? 'Target of the module' : label,
    description: label === now ? 'current' : '',
    value: label,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Set Target' });
  if (picked) await setTarget(picked.value);
}

async function menu(): Promise<void> {
  const items = [
    { label: '$(target) Set Target', command: 'setTarget' },
    { label: '$(play) Run Kernel', command: 'runKernel' },
    { label: '$(verified) Check Kernel', command: 'checkKernel' },
    { label: '$(debug-alt) Debug Kernel', command: 'debugKernel' },
    { label: '$(symbol-numeric) Evaluate Here', command: 'evaluateHere' },
    { label: '$(book) Show Instruction Documentation', command: 'showForms' },
    { label: '$(type-hierarchy) Show Executions', command: 'showExecutions' },
    { label: '$(debug-restart) Restart Server', command: 'restart' },
    { label: '$(output) Show Log', command: 'showLog' },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: 'PTX Atomics' });
  if (picked) await vscode.commands.executeCommand(`${SECTION}.${picked.command}`);
}
