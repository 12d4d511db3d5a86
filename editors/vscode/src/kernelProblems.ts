/** The problems of runs and checks as diagnostics, at their lines of PTX and at the source lines that these were generated from, until a text changes. */
import * as vscode from 'vscode';

export type Range = { start: { line: number; character: number }; end: { line: number; character: number } };
/** A problem at a line of PTX, and the source lines that it was generated from. */
export interface Problem {
  range: Range;
  message: string;
  sources: { uri: string; range: Range }[];
  related: { range: Range; message: string }[];
}

export const rangeOf = ({ start, end }: Range): vscode.Range => new vscode.Range(start.line, start.character, end.line, end.character);

/** A problem with how bad it is. */
type RatedProblem = Problem & { severity: vscode.DiagnosticSeverity };

export class KernelProblems implements vscode.Disposable {
  private readonly diagnostics = vscode.languages.createDiagnosticCollection('ptx-atomics kernels');
  /** The documents with diagnostics, by the module that they are of. */
  private readonly shown = new Map<string, vscode.Uri[]>();
  private readonly watches = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => contentChanges.length > 0 && this.forget(document.uri)),
    vscode.workspace.onDidCloseTextDocument((document) => this.clear(document.uri)),
  );

  /** Shows the problems of a module in place of those before. */
  show(module: vscode.Uri, source: string, problems: RatedProblem[]): void {
    this.clear(module);
    const found = new Map<string, vscode.Diagnostic[]>();
    const add = (uri: vscode.Uri, range: Range, { message, severity }: RatedProblem, related: vscode.DiagnosticRelatedInformation[]): void => {
      const shown = new vscode.Diagnostic(rangeOf(range), message, severity);
      shown.source = source;
      shown.relatedInformation = related;
      const all = found.get(uri.toString()) ?? [];
      all.push(shown);
      found.set(uri.toString(), all);
    };
    for (const problem of problems) {
      const related = problem.related.map(({ range, message }) => new vscode.DiagnosticRelatedInformation(new vscode.Location(module, rangeOf(range)), message));
      add(module, problem.range, problem, related);
      const here = new vscode.DiagnosticRelatedInformation(new vscode.Location(module, rangeOf(problem.range)), 'in this PTX');
      for (const { uri, range } of problem.sources) add(vscode.Uri.parse(uri), range, problem, [here, ...related]);
    }
    for (const [uri, all] of found) this.diagnostics.set(vscode.Uri.parse(uri), all);
    this.shown.set(module.toString(), [...found.keys()].map((uri) => vscode.Uri.parse(uri)));
  }

  /** Removes the problems of a module. */
  clear(module: vscode.Uri): void {
    this.shown.get(module.toString())?.forEach((uri) => this.diagnostics.delete(uri));
    this.shown.delete(module.toString());
  }

  /** A text has changed: what was found of the modules that have problems there is not about it. */
  private forget(changed: vscode.Uri): void {
    for (const [module, uris] of [...this.shown]) {
      if (module === changed.toString() || uris.some((uri) => uri.toString() === changed.toString())) this.clear(vscode.Uri.parse(module));
    }
  }

  dispose(): void {
    vscode.Disposable.from(this.diagnostics, this.watches).dispose();
  }
}

/** Says a verdict, with a button that leads to its first problem. */
export async function showVerdict(text: string, uri: vscode.Uri, range: Range, severity: 'error' | 'warning', ...more: string[]): Promise<string | undefined> {
  const show = severity === 'error' ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
  const chosen = await show(text, 'Go to Problem', ...more);
  if (chosen !== 'Go to Problem') return chosen;
  const editor = await vscode.window.showTextDocument(uri);
  const place = rangeOf(range);
  editor.selection = new vscode.Selection(place.start, place.start);
  editor.revealRange(place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return undefined;
}
