/** Executions of litmus tests and of checked kernels: a picture in the hover, and a panel with a slider over all of them. */
import * as vscode from 'vscode';
import { imageOf, page, verdictOf, type Executions } from './executionsPage';

export type { Executions };

/** The command that opens the panel. */
export const SHOW = 'ptxAtomics.showExecutions';

/** Asks the server about a position. */
export type Ask = (document: vscode.TextDocument, position: vscode.Position) => Promise<Executions | null>;

const LITMUS = 'ptx-litmus';

/** Milliseconds between the last edit and the next request. */
const PAUSE = 250;

/** Adds the picture of the deciding execution to the hover of a claim. */
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
  text.appendMarkdown(`![${shown.outcome}|width=560](${imageOf(shown.svg)})\n\n`);
  text.appendMarkdown(`\`${shown.outcome}\`, ${verdictOf(shown)} · [all executions](command:${SHOW})`);
  text.isTrusted = { enabledCommands: [SHOW] };
  const before = hover?.contents ?? [];
  return new vscode.Hover([...before, text], hover?.range);
}

/** The panel beside the editor. It is updated while the text changes. */
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

  /** The displayed executions, for tests. */
  get shown(): Executions | undefined {
    return this.panel && this.found;
  }

  /** Shows the executions of the test at a position. */
  async show(document: vscode.TextDocument, position: vscode.Position): Promise<void> {
    this.about = { document, position };
    const found = await this.ask(document, position);
    if (!found) {
      void vscode.window.showInformationMessage('No valid litmus test or check at the cursor.');
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

  /** Keeps the last executions while the text has errors. */
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
