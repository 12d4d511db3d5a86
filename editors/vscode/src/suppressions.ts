/** Suppressions as one quick fix: it asks where to suppress. */
import * as vscode from 'vscode';

/** The kind of the server's suppressions. */
const KIND = vscode.CodeActionKind.QuickFix.append('suppress');

/** The command of the one action. */
export const SUPPRESS = 'ptxAtomics.suppress';

type Action = vscode.CodeAction | vscode.Command;

const isSuppression = (action: Action): action is vscode.CodeAction => 'kind' in action && action.kind !== undefined && KIND.contains(action.kind);

/** The actions with one in place of several suppressions, at the end. */
export function withOneSuppression(actions: Action[] | null | undefined): Action[] {
  const all = actions ?? [];
  const suppressions = all.filter(isSuppression);
  if (suppressions.length < 2) return all;
  const one = new vscode.CodeAction('Suppress …', KIND);
  one.diagnostics = suppressions.flatMap(({ diagnostics }) => diagnostics ?? []);
  one.command = { title: 'Suppress', command: SUPPRESS, arguments: [suppressions] };
  return [...all.filter((action) => !isSuppression(action)), one];
}

/** Asks which of the suppressions is meant, and applies it. */
export async function suppress(suppressions: vscode.CodeAction[]): Promise<void> {
  const items = suppressions.map((action) => ({ label: action.title, action }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Suppress' });
  if (picked?.action.edit) await vscode.workspace.applyEdit(picked.action.edit);
}
