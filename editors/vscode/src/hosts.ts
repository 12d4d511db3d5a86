/** Offers once per workspace to check the PTX in strings of C++, and once that in strings of Python. */
import * as vscode from 'vscode';
import { hasPtxAsm, hasPtxCall } from './content';
import { enableHost, hostOf, isHostEnabled, type Host } from './settings';

const ASKED = (host: Host): string => `${host}.asked`;

const QUESTIONS: Record<Host, { holdsPtx: (text: string) => boolean; what: string }> = {
  cuda: { holdsPtx: hasPtxAsm, what: 'asm statements' },
  python: { holdsPtx: hasPtxCall, what: 'inline assembly in Python' },
};

/** The dialog, which tests replace. */
export const dialog = {
  ask: (message: string, ...choices: string[]): Thenable<string | undefined> => vscode.window.showInformationMessage(message, ...choices),
};

export function hostAsked(context: vscode.ExtensionContext, host: Host): boolean {
  return context.workspaceState.get(ASKED(host), false);
}

/** Asks if a document has PTX in its strings, and nobody has decided about its language yet. */
export async function offerHost(context: vscode.ExtensionContext, document: vscode.TextDocument): Promise<void> {
  const host = hostOf(document.languageId);
  if (host === undefined || isHostEnabled(host) !== undefined || hostAsked(context, host)) return;
  const { holdsPtx, what } = QUESTIONS[host];
  if (!holdsPtx(document.getText())) return;
  await context.workspaceState.update(ASKED(host), true);
  const choice = await dialog.ask(`This workspace has PTX in ${what}. Check it with PTX Atomics?`, 'Enable', 'No');
  if (choice === 'Enable') await enableHost(host);
}
