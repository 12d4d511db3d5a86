/** Executions of litmus tests: a picture in the hover, and a panel with a slider over all of them. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The server's request. */
export const REQUEST = 'ptxAtomics/executions';

/** The command that opens the panel. */
export const SHOW = 'ptxAtomics.showExecutions';

export interface Execution {
  outcome: string;
  claimed: boolean;
  forbidden: string | null;
  svg: string;
  text: string;
}

export interface Executions {
  name: string;
  summary: string;
  range: { start: { line: number }; end: { line: number } };
  decisive: number;
  executions: Execution[];
}

/** Asks the server about a position. */
export type Ask = (document: vscode.TextDocument, position: vscode.Position) => Promise<Executions | null>;

const LITMUS = 'ptx-litmus';

/** Long enough that nobody's typing is followed key by key. */
const PAUSE = 250;

const source = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;

const verdict = (one: Execution): string => (one.forbidden === null ? 'allowed' : `forbidden by ${one.forbidden}`);

/** Adds the picture of the execution that decides, where a litmus test is claimed something of. */
export async function withPicture(
  hover: vscode.Hover | null | undefined,
  document: vscode.TextDocument,
  position: vscode.Position,
  ask: Ask,
): Promise<vscode.Hover | null | undefined> {
  const litmus = document.languageId === LITMUS;
  if (!(litmus ? hover : /^\s*\/\/!/.test(document.lineAt(position.line).text))) return hover;
  const found = await ask(document, position);
  const shown = found?.executions[found.decisive];
  if (!found || !shown || position.line < found.range.start.line || (!litmus && position.line > found.range.end.line)) return hover;
  const text = new vscode.MarkdownString();
  if (!litmus) text.appendMarkdown(`**${found.name}**: ${found.summary}\n\n`);
  text.appendMarkdown(`![${shown.outcome}|width=560](${source(shown.svg)})\n\n`);
  text.appendMarkdown(`\`${shown.outcome}\`, ${verdict(shown)} · [all executions](command:${SHOW})`);
  text.isTrusted = { enabledCommands: [SHOW] };
  const before = hover?.contents ?? [];
  return new vscode.Hover([...before, text], hover?.range);
}

/** The panel beside the editor. It follows the text until it is closed. */
export class Panel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private about: { document: vscode.TextDocument; position: vscode.Position } | undefined;
  private found: Executions | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly watch = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document !== this.about?.document) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), PAUSE);
  });

  constructor(private readonly ask: Ask) {}

  /** What is on show, for tests. */
  get shown(): Executions | undefined {
    return this.panel && this.found;
  }

  /** Shows the executions of the test at the cursor. */
  async show(editor: vscode.TextEditor): Promise<void> {
    this.about = { document: editor.document, position: editor.selection.active };
    const found = await this.ask(editor.document, editor.selection.active);
    if (!found) {
      void vscode.window.showInformationMessage('No valid litmus test at the cursor.');
      return;
    }
    if (!this.panel) {
      const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      this.panel = vscode.window.createWebviewPanel('ptxAtomics.executions', 'Executions', place, { enableScripts: true });
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.about = undefined;
      });
    }
    this.draw(found);
  }

  /** While a text has mistakes, what was known before stays on show. */
  private async refresh(): Promise<void> {
    if (!this.about || !this.panel) return;
    const found = await this.ask(this.about.document, this.about.position);
    if (found) this.draw(found);
  }

  private draw(found: Executions): void {
    if (!this.panel) return;
    this.found = found;
    this.panel.title = `Executions of ${found.name || 'litmus test'}`;
    this.panel.webview.html = page(found);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.watch.dispose();
    this.panel?.dispose();
  }
}

/** The panel's page: pictures as images, so that nothing in them can run. */
function page(found: Executions): string {
  const nonce = randomBytes(16).toString('base64');
  const list = found.executions.map((one) => ({ ...one, svg: source(one.svg), verdict: verdict(one) }));
  const data = JSON.stringify({ ...found, executions: list }).replace(/</g, '\\u003c');
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">
  body { font-family: var(--vscode-font-family); padding: 0 12px }
  header { display: flex; gap: 10px; align-items: center; margin: 10px 0 }
  input { flex: 1; accent-color: var(--vscode-focusBorder) }
  #verdict.allowed { color: var(--vscode-charts-green) } #verdict.forbidden { color: var(--vscode-charts-red) }
  #outcome { font-family: var(--vscode-editor-font-family); font-weight: bold }
  img { max-width: 100%; display: block; margin: 8px 0; border-radius: 4px }
  pre { white-space: pre-wrap; font-family: var(--vscode-editor-font-family) }
</style></head><body>
<p id="summary"></p>
<header><input id="slider" type="range" min="0" aria-label="Execution"><span id="count"></span></header>
<div><span id="outcome"></span> <span id="claimed"></span> <span id="verdict"></span></div>
<img id="picture" alt="">
<pre id="text"></pre>
<script nonce="${nonce}">
  const api = acquireVsCodeApi();
  const found = ${data};
  const part = (id) => document.getElementById(id);
  const slider = part('slider');
  slider.max = String(found.executions.length - 1);
  part('summary').textContent = found.summary;
  function show(at) {
    const one = found.executions[at];
    if (!one) return;
    slider.value = String(at);
    part('count').textContent = (at + 1) + ' of ' + found.executions.length;
    part('outcome').textContent = one.outcome;
    part('claimed').textContent = one.claimed ? '(as the test says)' : '';
    part('verdict').textContent = one.verdict;
    part('verdict').className = one.forbidden === null ? 'allowed' : 'forbidden';
    part('picture').src = one.svg;
    part('picture').alt = one.outcome;
    part('text').textContent = one.text;
    api.setState({ name: found.name, outcome: one.outcome });
  }
  slider.addEventListener('input', () => show(Number(slider.value)));
  const before = api.getState();
  const same = before && before.name === found.name ? found.executions.findIndex((one) => one.outcome === before.outcome) : -1;
  show(same >= 0 ? same : found.decisive);
</script></body></html>`;
}
