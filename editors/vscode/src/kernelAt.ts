/** The kernel that a command is about. */
import * as vscode from 'vscode';
import type { KernelLaunch } from './kernelRuns';

/** The launch of the lens with a command on the kernel at the cursor, or on the first one. */
export async function kernelAt({ document, selection }: vscode.TextEditor, command: string): Promise<KernelLaunch | undefined> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', document.uri, 100);
  const wanted = lenses.filter((lens) => lens.command?.command === command);
  const above = wanted.filter((lens) => lens.range.start.isBeforeOrEqual(selection.end)).pop();
  return (above ?? wanted[0])?.command?.arguments?.[0] as KernelLaunch | undefined;
}
