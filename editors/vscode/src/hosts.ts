/** Documents of C++ and Python: the server starts for those that certainly have PTX in their strings. */
import type * as vscode from 'vscode';
import { hasPtxAsm, hasPtxCall } from './content';
import { hostOf, isHostEnabled, type Host } from './settings';

const HOLDS_PTX: Record<Host, (text: string) => boolean> = { cuda: hasPtxAsm, python: hasPtxCall };

/** Whether a document of an enabled host language certainly has PTX. */
export function hasPtx(document: vscode.TextDocument): boolean {
  const host = hostOf(document.languageId);
  return host !== undefined && isHostEnabled(host) && HOLDS_PTX[host](document.getText());
}
