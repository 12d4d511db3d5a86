/** The settings of the client; the server requests its own by `workspace/configuration`. */
import * as vscode from 'vscode';

export const SECTION = 'ptxAtomics';

/** The languages that this extension defines. */
export const OWN = ['ptx', 'nvsass', 'ptx-litmus'] as const;

/** The languages with PTX in `asm` strings. */
export const HOSTS = ['cuda-cpp', 'cpp'] as const;

function section(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION);
}

/** Path to a server; empty for the bundled one. */
export function serverPath(): string {
  return section().get<string>('server.path', '').trim();
}

export function serverArguments(): string[] {
  return section().get<string[]>('server.arguments', []);
}

/** The languages of the documents that are sent to the server. */
export function languages(): string[] {
  return isCudaEnabled() ? [...OWN, ...HOSTS] : [...OWN];
}

/** The setting `cuda.enable`; `undefined` if the user has not set it. */
export function isCudaEnabled(): boolean | undefined {
  const set = section().inspect<boolean>('cuda.enable');
  return set?.workspaceFolderValue ?? set?.workspaceValue ?? set?.globalValue;
}

/** Enables PTX in `asm` strings for the workspace. */
export async function enableCuda(): Promise<void> {
  const where = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await section().update('cuda.enable', true, where);
}

/** Which atomics have a lens "Evaluate". */
export function evaluateLens(document: vscode.TextDocument): 'off' | 'cursor' | 'all' {
  return vscode.workspace.getConfiguration(SECTION, document).get('codeLens.evaluate', 'cursor');
}

/** Whether litmus tests have a lens "Show Executions". */
export function executionsLens(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration(SECTION, document).get('codeLens.executions', true);
}

export function target(): string {
  return section().get<string>('target', '');
}

/** Writes the target where it was set before, else into the workspace, else into the user's settings. */
export async function setTarget(target: string): Promise<void> {
  const known = section().inspect<string>('target');
  const workspace = known?.workspaceValue !== undefined || (known?.globalValue === undefined && vscode.workspace.workspaceFolders);
  const where = workspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await section().update('target', target === '' ? undefined : target, where);
}
