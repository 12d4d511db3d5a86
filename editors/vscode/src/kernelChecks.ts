/** "Check": explores every execution of a launch, and shows what it finds as diagnostics. */
import * as vscode from 'vscode';
import { showVerdict, type KernelProblems, type Problem } from './kernelProblems';
import type { KernelLaunch } from './kernelRuns';

/** What the server returns. */
export interface KernelCheck extends Omit<KernelLaunch, 'uri'> {
  verdict: 'proved' | 'refuted' | 'unknown';
  reason: string;
  problems: Problem[];
  notes: Problem[];
}

/** Checks of kernels. */
export class KernelChecks {
  constructor(private readonly problems: KernelProblems) {}

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
    const { Error, Information } = vscode.DiagnosticSeverity;
    this.problems.show(uri, 'ptx-atomics check', [
      ...problems.map((problem) => ({ ...problem, severity: Error })),
      ...notes.map((problem) => ({ ...problem, severity: Information })),
    ]);
    const result = `${VERDICTS[verdict]}: ${kernel} ${launch}${reason === '' ? '' : `: ${reason}`}`;
    const first = problems[0];
    if (first) void showVerdict(result, uri, first.range, 'error');
    else void (verdict === 'proved' ? vscode.window.showInformationMessage(result) : vscode.window.showWarningMessage(result));
  }
}

/** How a verdict is said. */
const VERDICTS = { proved: 'Proved', refuted: 'Refuted', unknown: 'Not decided' };
