/** Documents in which extension and text disagree: they get the language of their text, unless the user chooses another. */
import * as vscode from 'vscode';
import { isPtx, isPtxLitmus, isSass, otherLanguage } from './content';

/** Style sheets, which have the extension `.sass` too. Another extension may define the language. */
const STYLE_SHEET = 'sass';

/** Documents that were assigned a language once. If one has a language of this extension again, the user chose it. */
const assigned = new Set<string>();

/** Whether a document has a language of this extension and the text of another. */
export function isForeign(document: vscode.TextDocument): boolean {
  if (assigned.has(document.uri.toString())) return false;
  switch (document.languageId) {
    case 'ptx':
      return !isPtx(document.getText());
    case 'ptx-litmus':
      return !isPtxLitmus(document.getText());
    case 'nvsass':
      return !isSass(document.getText());
    default:
      return false;
  }
}

async function languageOf(document: vscode.TextDocument): Promise<string | undefined> {
  const text = document.getText();
  if (document.languageId === STYLE_SHEET) return text.trim() !== '' && isSass(text) ? 'nvsass' : undefined;
  if (!isForeign(document)) return undefined;
  const known = await vscode.languages.getLanguages();
  return document.languageId === 'nvsass' && known.includes(STYLE_SHEET) ? STYLE_SHEET : otherLanguage(text);
}

/** Assigns a document the language of its text, once. */
export async function assignLanguage(document: vscode.TextDocument): Promise<void> {
  const key = document.uri.toString();
  if (assigned.has(key)) return;
  const language = await languageOf(document);
  if (language === undefined) return;
  await vscode.languages.setTextDocumentLanguage(document, language);
  assigned.add(key);
}
