/** The settings that matter to the client itself; those of the server travel by `workspace/configuration`. */
import * as vscode from 'vscode';

export const SECTION = 'ptxAtomics';

/** The languages that are the server's own. */
export const OWN = ['ptx', 'sass', 'ptx-litmus'] as const;

/** The languages in whose `asm` strings PTX stands. */
export const HOSTS = ['cuda-cpp', 'cpp'] as const;

function section(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION);
}

/** A server of one's own; empty for the bundled one. */
export function serverPath(): string {
  return section().get<string>('server.path', '').trim();
}

export function serverArguments(): string[] {
  return section().get<string[]>('server.arguments', []);
}

/** Every language that the server is asked about. */
export function languages(): string[] {
  return section().get<boolean>('cuda.enable', false) ? [...OWN, ...HOSTS] : [...OWN];
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
