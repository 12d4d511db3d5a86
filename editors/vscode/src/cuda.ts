/** Offers once per workspace to check the PTX in `asm` statements of C++. */
import * as vscode from 'vscode';
import { hasPtxAsm } from './content';
import { enableCuda, HOSTS, isCudaEnabled } from './settings';

const ASKED = 'cuda.asked';

/** The dialog, which tests replace. */
export const dialog = {
  ask: (message: string, ...choices: string[]): Thenable<string | undefined> => vscode.window.showInformationMessage(message, ...choices),
};

export function cudaAsked(context: vscode.ExtensionContext): boolean {
  return context.workspaceState.get(ASKED, false);
}

/** Asks if a document is C++ with PTX in it, and nobody has decided yet. */
export async function offerCuda(context: vscode.ExtensionContext, document: vscode.TextDocument): Promise<void> {
  const isHost = (HOSTS as readonly string[]).includes(document.languageId);
  if (!isHost || isCudaEnabled() !== undefined || cudaAsked(context)) return;
  if (!hasPtxAsm(document.getText())) return;
  await context.workspaceState.update(ASKED, true);
  const choice = await dialog.ask('This workspace has PTX in asm statements. Check it with PTX Atomics?', 'Enable', 'No');
  if (choice === 'Enable') await enableCuda();
}
