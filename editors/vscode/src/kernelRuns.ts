/** "Run": asks for the launch of a kernel, and shows behind each line what a run did until the text changes. */
import * as vscode from 'vscode';

/** The argument of the server's lenses. */
export interface KernelLaunch {
  uri: string;
  kernel: string;
  launch: string;
}

/** What the server returns. */
export interface KernelRun extends Omit<KernelLaunch, 'uri'> {
  instructions: number;
  output: string;
  problems: { code: string; message: string; range: { start: { line: number } }; count: number }[];
  memory: { name: string; type: string; length: number; before: string[]; after: string[]; changed: number[] }[];
  lines: {
    range: { start: { line: number } };
    executions: number;
    threads: number;
    divergent: number;
    contention: { mostLanes: number; transactions: number } | null;
    registers: { name: string; value: string }[];
  }[];
}

/** The most changed elements of a buffer that are listed. */
const LISTED = 64;

/** What is shown behind a line. */
function behind(line: KernelRun['lines'][number]): string {
  const parts = [`×${line.threads}`];
  if (line.divergent > 0) parts.push(`${line.divergent} of ${line.executions} divergent`);
  if (line.contention) parts.push(`${line.contention.mostLanes} lanes at one address, ${line.contention.transactions} transactions`);
  return [...parts, ...line.registers.map(({ name, value }) => `${name} = ${value}`)].join(' · ');
}

/** The lines of the output channel: problems, and the elements that have changed. */
function report(run: KernelRun): string[] {
  const lines = [`${run.kernel} ${run.launch}: ${run.instructions} instructions`];
  lines.push(...run.problems.map(({ code, message, range }) => `line ${range.start.line + 1}: error[${code}]: ${message}`));
  for (const { name, before, after, changed } of run.memory) {
    lines.push(...changed.slice(0, LISTED).map((index) => `${name}[${index}]: ${before[index]} → ${after[index]}`));
    if (changed.length > LISTED) lines.push(`${name}: ${changed.length - LISTED} more elements have changed`);
  }
  return run.output === '' ? lines : [...lines, run.output];
}

/** Runs of kernels: launches are remembered per kernel in the workspace. */
export class KernelRuns implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorInlayHint.foreground') },
  });
  private readonly shown = new Map<string, KernelRun>();
  private readonly watches = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => contentChanges.length > 0 && this.clear(document.uri)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor))),
  );

  constructor(
    private readonly state: vscode.Memento,
    private readonly output: vscode.OutputChannel,
  ) {}

  /** Asks for a launch, begins with the last one of the kernel; `undefined` if the user cancels. */
  async ask({ uri, kernel, launch }: KernelLaunch, verb: 'Run' | 'Debug' | 'Check' = 'Run'): Promise<KernelLaunch | undefined> {
    // A launch that is small enough to be checked is not the one that is run.
    const key = `${verb === 'Check' ? 'check' : 'launch'}:${uri}#${kernel}`;
    const given = await vscode.window.showInputBox({
      title: `${verb} ${kernel}`,
      prompt: 'grid, block, cluster, shared and seed, then the arguments: grid 2 block 32 n=u32=5 out=u32[64] in=f32[2]=1,2',
      value: this.state.get(key, launch),
      ignoreFocusOut: true,
    });
    if (given === undefined) return undefined;
    await this.state.update(key, given);
    return { uri, kernel, launch: given };
  }

  show(uri: string, run: KernelRun): void {
    this.shown.set(vscode.Uri.parse(uri).toString(), run);
    vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
    report(run).forEach((line) => this.output.appendLine(line));
    const problems = run.problems.length === 0 ? 'no problem' : run.problems.length === 1 ? '1 problem' : `${run.problems.length} problems`;
    void vscode.window.showInformationMessage(`${run.kernel}: ${problems}`, 'Show Memory').then((chosen) => chosen && this.output.show());
  }

  /** The texts behind the lines of a document, for tests. */
  of(uri: vscode.Uri): { line: number; text: string }[] {
    return (this.shown.get(uri.toString())?.lines ?? []).map((line) => ({ line: line.range.start.line, text: behind(line) }));
  }

  clear(uri: vscode.Uri): void {
    if (this.shown.delete(uri.toString())) vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
  }

  private draw(editor: vscode.TextEditor): void {
    const options = this.of(editor.document.uri).map(({ line, text }) => {
      const end = editor.document.lineAt(Math.min(line, editor.document.lineCount - 1)).range.end;
      return { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } };
    });
    editor.setDecorations(this.decoration, options);
  }

  dispose(): void {
    vscode.Disposable.from(this.decoration, this.watches).dispose();
  }
}
