/** Documents whose ending looks like ours and whose text is another's: they get another language, unless the user insists. */
import * as vscode from 'vscode';
import { isPtx, isPtxLitmus, isSass, otherLanguage } from './content';

const insisted = new Set<string>();

/** Whether a document has a language of ours and does not hold it. */
export function isForeign(document: vscode.TextDocument): boolean {
  if (insisted.has(document.uri.toString())) return false;
  switch (document.languageId) {
    case 'ptx':
      return !isPtx(document.getText());
    case 'ptx-litmus':
      return !isPtxLitmus(document.getText());
    case 'sass':
      return !isSass(document.getText());
    default:
      return false;
  }
}

/**
 * Gives a foreign document the language that it has. Who then chooses ours by hand means it. Style sheets keep theirs: it has
 * the same name.
 */
export async function letGo(document: vscode.TextDocument): Promise<void> {
  if (document.languageId === 'sass' || !isForeign(document)) return;
  await vscode.languages.setTextDocumentLanguage(document, otherLanguage(document.getText()));
  insisted.add(document.uri.toString());
}
