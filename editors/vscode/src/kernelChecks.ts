/** "Check": explores every execution of a launch, and shows what it finds as diagnostics until the text changes. */
import * as vscode from 'vscode';
import type { KernelLaunch } from './kernelRuns';

type Range = { start: { line: number; character: number }; end: { line: number; character: number } };
type Problem = { range: Range; message: string; related: { range: Range; message: string }[] };

/** What the server returns. */
export interface KernelCheck extends Omit<KernelLaunch, 'uri'> {
  verdict: 'proved' | 'refuted' | 'unknown';
  reason: string;
  problems: Problem[];
  notes: Problem[];
}

const rangeOf = ({ start, end }: Range): vscode.Range => new vscode.Range(start.line, start.character, end.line, end.character);

/** Checks of kernels. */
export class KernelChecks implements vscode.Disposable {
  private readonly diagnostics = vscode.languages.createDiagnosticCollection('ptx-atomics check');
  private readonly watches = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => contentChanges.length > 0 && this.diagnostics.delete(document.uri)),
    vscode.workspace.onDidCloseTextDocument((document) => this.diagnostics.delete(document.uri)),
  );

  /** Checks a launch: with progress, until the user cancels. */
  async check(launch: KernelLaunch, request: (token: vscode.CancellationToken) => Promise<KernelCheck | undefined>): Promise<KernelCheck | undefined> {
    const version = this.version(launch.uri);
    const options = { location: vscode.ProgressLocation.Notification, title: `Checking ${launch.kernel} ${launch.launch}`, cancellable: true };
    const found = await vscode.window.withProgress(options, async (_, token) => {
      try {
        return await request(token);
      } catch (error) {
        if (token.isCancellationRequested) return undefined;
        throw error;
      }
    });
    // What was found in an older text has no places in the new one.
    if (found && this.version(launch.uri) === version) this.show(vscode.Uri.parse(launch.uri), found);
    return found;
  }

  private version(uri: string): number | undefined {
    const wanted = vscode.Uri.parse(uri).toString();
    return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted)?.version;
  }

  private show(uri: vscode.Uri, { kernel, launch, verdict, reason, problems, notes }: KernelCheck): void {
    const diagnostic = (severity: vscode.DiagnosticSeverity) => (problem: Problem): vscode.Diagnostic => {
      const shown = new vscode.Diagnostic(rangeOf(problem.range), problem.message, severity);
      shown.source = `check ${kernel}`;
      shown.relatedInformation = problem.related.map(({ range, message }) => new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, rangeOf(range)), message));
      return shown;
    };
    const { Error, Information } = vscode.DiagnosticSeverity;
    this.diagnostics.set(uri, [...problems.map(diagnostic(Error)), ...notes.map(diagnostic(Information))]);
    const result = `${kernel} ${launch}: ${verdict}`;
    if (verdict === 'proved') void vscode.window.showInformationMessage(result);
    else void vscode.window.showWarningMessage(reason === '' ? result : `${result}: ${reason}`);
  }

  dispose(): void {
    vscode.Disposable.from(this.diagnostics, this.watches).dispose();
  }
}
