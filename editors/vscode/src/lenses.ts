/** Code lenses: "Run" and "Check" on kernels, "Evaluate" at the cursor's atomic, "Show Executions" at litmus tests. */
import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import { CodeLensRequest } from 'vscode-languageclient/node';
import { checkedLaunches, litmusTests } from './content';
import { SHOW } from './executions';
import { CHECK, RUN } from './requests';
import { evaluateLens, executionsLens, runLens } from './settings';

type Cached = { version: number; lenses: vscode.CodeLens[] };

/** Reduces the server's lenses to those that the settings ask for. */
export class EvaluateLenses implements vscode.Disposable {
  /** The lenses of the server. They depend on the text only, so a moved cursor needs no new request. */
  private readonly cache = new WeakMap<vscode.TextDocument, Cached>();
  private line: number | undefined;
  private readonly watches = [
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('ptxAtomics.codeLens')) this.refresh(vscode.window.activeTextEditor?.document);
    }),
  ];

  constructor(private readonly client: () => BaseLanguageClient | undefined) {}

  async provide(document: vscode.TextDocument, request: () => Promise<vscode.CodeLens[]>): Promise<vscode.CodeLens[]> {
    const setting = evaluateLens(document);
    const runs = runLens(document);
    if (setting === 'off' && !runs) return [];
    const all = await this.all(document, request);
    const isRun = (lens: vscode.CodeLens): boolean => lens.command?.command === RUN || lens.command?.command === CHECK;
    const shown = runs ? all.filter(isRun) : [];
    const lenses = all.filter((lens) => !isRun(lens));
    if (setting === 'off') return shown;
    if (setting === 'all') return [...shown, ...lenses];
    const editor = vscode.window.activeTextEditor;
    if (editor?.document !== document) return shown;
    const line = editor.selection.active.line;
    return [...shown, ...lenses.filter((lens) => lens.range.start.line <= line && line <= lens.range.end.line)];
  }

  private async all(document: vscode.TextDocument, request: () => Promise<vscode.CodeLens[]>): Promise<vscode.CodeLens[]> {
    const { version } = document;
    const cached = this.cache.get(document);
    if (cached?.version === version) return cached.lenses;
    const lenses = await request();
    this.cache.set(document, { version, lenses });
    return lenses;
  }

  private moved({ document, selection }: vscode.TextEditor): void {
    if (selection.active.line === this.line || evaluateLens(document) !== 'cursor') return;
    this.line = selection.active.line;
    this.refresh(document);
  }

  private refresh(document: vscode.TextDocument | undefined): void {
    if (!document) return;
    this.client()?.getFeature(CodeLensRequest.method).getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }

  dispose(): void {
    vscode.Disposable.from(...this.watches).dispose();
  }
}

/** A lens above every litmus test, in `.litmus` files and in comments of PTX, and above every launch in comments that is checked. */
export class ExecutionsLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly registration = vscode.Disposable.from(
    this.changed,
    vscode.languages.registerCodeLensProvider([{ language: 'ptx' }, { language: 'ptx-litmus' }], this),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('ptxAtomics.codeLens')) this.changed.fire();
    }),
  );

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!executionsLens(document)) return [];
    const [language, text] = [document.languageId, document.getText()];
    return [...litmusTests(language, text), ...checkedLaunches(language, text)].map((line) => {
      const place = new vscode.Position(line, 0);
      return new vscode.CodeLens(new vscode.Range(place, place), { title: 'Show Executions', command: SHOW, arguments: [document.uri, line] });
    });
  }

  dispose(): void {
    this.registration.dispose();
  }
}
