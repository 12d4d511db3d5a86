/** The settings of the client; the server requests its own by `workspace/configuration`. */
import * as vscode from 'vscode';

export const SECTION = 'ptxAtomics';

/** The languages that this extension defines. */
export const OWN = ['ptx', 'nvsass', 'ptx-litmus'] as const;

/** The languages with PTX in strings, by the setting that enables them. */
const HOSTS = { cuda: ['cuda-cpp', 'cpp'], python: ['python'] } as const;

export type Host = keyof typeof HOSTS;

const ALL_HOSTS = Object.keys(HOSTS) as Host[];

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
  return [...OWN, ...ALL_HOSTS.filter((host) => isHostEnabled(host)).flatMap((host) => [...HOSTS[host]])];
}

/** The host that a language belongs to. */
export function hostOf(language: string): Host | undefined {
  return ALL_HOSTS.find((host) => (HOSTS[host] as readonly string[]).includes(language));
}

/** The settings `cuda.enable` and `python.enable`. */
export function isHostEnabled(host: Host): boolean {
  return section().get<boolean>(`${host}.enable`, true);
}

/** The languages that the server checks, from its start on. */
export function enabledHosts(): Record<Host, { enable: boolean }> {
  return { cuda: { enable: isHostEnabled('cuda') }, python: { enable: isHostEnabled('python') } };
}

/** Which atomics have a lens "Evaluate". */
export function evaluateLens(document: vscode.TextDocument): 'off' | 'cursor' | 'all' {
  return vscode.workspace.getConfiguration(SECTION, document).get('codeLens.evaluate', 'cursor');
}

/** Whether litmus tests have a lens "Show Executions". */
export function executionsLens(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration(SECTION, document).get('codeLens.executions', true);
}

/** Whether kernels have a lens "Run". */
export function runLens(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration(SECTION, document).get('codeLens.run', true);
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
