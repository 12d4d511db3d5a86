/** "Run": asks for the launch of a kernel, and shows behind each line what a run did until the text changes. */
import * as vscode from 'vscode';
import { askForLaunch, askForThread, threadName, type Thread } from './launchForm';
import { showVerdict, type KernelProblems, type Problem } from './kernelProblems';
import { MemoryPages, type RunBuffer } from './memoryPages';

/** The argument of the server's lenses. */
export interface KernelLaunch {
  uri: string;
  kernel: string;
  launch: string;
  /** Whose registers are wanted: the first one by default. */
  thread?: Thread;
}

/** What the server returns. */
export interface KernelRun extends Omit<KernelLaunch, 'uri'> {
  thread: Thread;
  instructions: number;
  output: string;
  problems: (Omit<Problem, 'related'> & { code: string; thread: Thread; count: number })[];
  memory: RunBuffer[];
  lines: {
    range: { start: { line: number } };
    executions: number;
    threads: number;
    divergent: number;
    contention: { executions: number; mostLanes: number; transactions: number; heat: number } | null;
    registers: { name: string; value: string }[];
  }[];
}

/** Runs a launch. */
type Runner = (launch: KernelLaunch) => Promise<KernelRun | undefined>;

/** A run that is shown, and what repeats it. */
interface ShownRun {
  launch: KernelLaunch;
  run: KernelRun;
  runner: Runner;
}

/** The most changed elements of a buffer that are listed. */
const LISTED = 64;

/** The colours of the heat of atomics: 1 to 3. */
const HEAT = ['charts.yellow', 'charts.orange', 'charts.red'];

/** A number of transactions per execution: whole, or with one decimal. */
const each = (all: number, executions: number): string => String(Math.round((all / Math.max(1, executions)) * 10) / 10);

/** What is shown after a line. */
function behind(line: KernelRun['lines'][number]): string {
  const parts = [`×${line.threads}`];
  if (line.divergent > 0) parts.push(`divergent ${line.divergent} of ${line.executions} times`);
  if (line.contention) {
    const { executions, mostLanes, transactions } = line.contention;
    parts.push(`up to ${mostLanes} ${mostLanes === 1 ? 'lane' : 'lanes'} at one address`, `${each(transactions, executions)} transactions per warp`);
  }
  return [...parts, ...line.registers.map(({ name, value }) => `${name} = ${value}`)].join(' · ');
}

/** The lines of the output channel: problems, and the elements that have changed. */
function report(run: KernelRun): string[] {
  const lines = [`${run.kernel} ${run.launch}: ${run.instructions} instructions`];
  const often = (count: number): string => (count > 1 ? `, ${count} times` : '');
  lines.push(...run.problems.map(({ code, message, range, thread, count }) => `line ${range.start.line + 1}: error[${code}]: ${message} (${threadName(thread)}${often(count)})`));
  for (const { name, type, length, before, after, changed } of run.memory) {
    lines.push(`${name}: ${type}[${length}], ${changed.length === 0 ? 'unchanged' : `${changed.length} of ${length} elements changed`}`);
    lines.push(...changed.slice(0, LISTED).map((index) => `  ${name}[${index}]: ${before[index]} → ${after[index]}`));
    if (changed.length > LISTED) lines.push(`  and ${changed.length - LISTED} more`);
  }
  return run.output === '' ? lines : [...lines, run.output];
}

/** Runs of kernels: launches are remembered per kernel in the workspace. */
export class KernelRuns implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorInlayHint.foreground') },
  });
  private readonly heat = HEAT.map((name) => {
    const color = new vscode.ThemeColor(name);
    return vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderWidth: '0 0 0 4px',
      borderStyle: 'solid',
      borderColor: color,
      overviewRulerColor: color,
      overviewRulerLane: vscode.OverviewRulerLane.Right,
    });
  });
  private readonly shown = new Map<string, ShownRun>();
  private readonly memory = new MemoryPages();
  private readonly watches = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => contentChanges.length > 0 && this.clear(document.uri)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor))),
  );

  constructor(
    private readonly state: vscode.Memento,
    private readonly output: vscode.OutputChannel,
    private readonly problems: KernelProblems,
  ) {}

  /** Asks for a launch, begins with the last one of the kernel; `undefined` if the user cancels. */
  async ask({ uri, kernel, launch }: KernelLaunch, verb: 'Run' | 'Debug' | 'Check' = 'Run'): Promise<KernelLaunch | undefined> {
    // A launch that is small enough to be checked is not the one that is run.
    const key = `${verb === 'Check' ? 'check' : 'launch'}:${uri}#${kernel}`;
    // The thread that was chosen belongs to its kernel.
    const former = this.shown.get(vscode.Uri.parse(uri).toString())?.run;
    const chosen = former?.kernel === kernel ? former.thread : { cta: 0, thread: 0 };
    const first = verb === 'Run' ? chosen : undefined;
    const given = await askForLaunch(`${verb} ${kernel}`, verb, this.state.get(key, launch), first);
    if (given === undefined) return undefined;
    await this.state.update(key, given.launch);
    return { uri, kernel, ...given };
  }

  /** Runs a launch and shows what it did. */
  async run(launch: KernelLaunch, runner: Runner): Promise<KernelRun | undefined> {
    const run = await runner(launch);
    if (!run) return undefined;
    this.shown.set(vscode.Uri.parse(launch.uri).toString(), { launch, run, runner });
    vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
    report(run).forEach((line) => this.output.appendLine(line));
    void this.showResult(launch.uri, run);
    return run;
  }

  /** Says whether a run had problems, and shows these as diagnostics. */
  private async showResult(module: string, run: KernelRun): Promise<void> {
    const uri = vscode.Uri.parse(module);
    const rated = run.problems.map((problem) => ({
      ...problem,
      message: `${problem.message} (${threadName(problem.thread)})`,
      related: [],
      severity: vscode.DiagnosticSeverity.Error,
    }));
    this.problems.show(uri, 'ptx-atomics run', rated);
    const [first, ...others] = run.problems;
    const more = ['Show Memory', 'Choose Thread'];
    const chosen = first
      ? await showVerdict(`${others.length + 1} ${others.length === 0 ? 'problem' : 'problems'}: ${run.kernel}: line ${first.range.start.line + 1}: ${first.message}`, uri, first.range, 'error', ...more)
      : await vscode.window.showInformationMessage(`No problem: ${run.kernel}; registers of ${threadName(run.thread)}`, ...more);
    if (chosen === 'Show Memory') await this.showMemory(module);
    if (chosen === 'Choose Thread') await this.chooseThread(module);
  }

  /** Shows the memory of the run that is shown, before and after. */
  async showMemory(uri: string): Promise<void> {
    const run = this.shown.get(vscode.Uri.parse(uri).toString())?.run;
    if (!run) return void vscode.window.showInformationMessage('No run is shown: run a kernel first');
    await this.memory.show(run.kernel, run.memory);
  }

  /** Asks for another thread, and runs the launch that is shown again. */
  async chooseThread(uri: string): Promise<void> {
    const shown = this.shown.get(vscode.Uri.parse(uri).toString());
    if (!shown) return void vscode.window.showInformationMessage('No run is shown: run a kernel first');
    const thread = await askForThread(shown.run.thread);
    if (thread) await this.run({ ...shown.launch, thread }, shown.runner);
  }

  /** The texts after the lines of a document, for tests. */
  of(uri: vscode.Uri): { line: number; text: string }[] {
    return (this.shown.get(uri.toString())?.run.lines ?? []).map((line) => ({ line: line.range.start.line, text: behind(line) }));
  }

  clear(uri: vscode.Uri): void {
    this.problems.clear(uri);
    if (this.shown.delete(uri.toString())) vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
  }

  private draw(editor: vscode.TextEditor): void {
    const options = this.of(editor.document.uri).map(({ line, text }) => {
      const end = editor.document.lineAt(Math.min(line, editor.document.lineCount - 1)).range.end;
      return { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } };
    });
    editor.setDecorations(this.decoration, options);
    const lines = this.shown.get(editor.document.uri.toString())?.run.lines ?? [];
    this.heat.forEach((decoration, level) => {
      const hot = lines.filter(({ contention }) => contention?.heat === level + 1);
      editor.setDecorations(decoration, hot.map(({ range }) => new vscode.Range(range.start.line, 0, range.start.line, 0)));
    });
  }

  dispose(): void {
    vscode.Disposable.from(this.decoration, ...this.heat, this.memory, this.watches).dispose();
  }
}
