/** From PTX to the source line that it was generated from, and back. */
import * as vscode from 'vscode';

type Found = vscode.Location | vscode.LocationLink;

const locationOf = (found: Found): vscode.Location => ('targetUri' in found ? new vscode.Location(found.targetUri, found.targetSelectionRange ?? found.targetRange) : found);

/** Where the opcode of a line begins, behind labels and a guard. */
function opcodeAt(line: vscode.TextLine): vscode.Position {
  const before = /^\s*(?:[\w$%]+:\s*)*(?:@!?\s*[\w$%]+\s+)?/.exec(line.text)?.[0] ?? '';
  return new vscode.Position(line.lineNumber, before.length);
}

async function goTo({ document, selection }: vscode.TextEditor, found: vscode.Location[], nothing: string): Promise<void> {
  await vscode.commands.executeCommand('editor.action.goToLocations', document.uri, selection.active, found, 'peek', nothing);
}

/** Goes to the source line of the PTX at the cursor. */
export async function goToSource(editor: vscode.TextEditor): Promise<void> {
  const place = opcodeAt(editor.document.lineAt(editor.selection.active));
  const found = await vscode.commands.executeCommand<Found[]>('vscode.executeDefinitionProvider', editor.document.uri, place);
  const elsewhere = found.map(locationOf).filter(({ uri }) => uri.toString() !== editor.document.uri.toString());
  await goTo(editor, elsewhere, 'No source line: compile with -lineinfo');
}

/** Goes to the PTX that was generated from the line at the cursor. */
export async function goToPtx(editor: vscode.TextEditor): Promise<void> {
  const found = await vscode.commands.executeCommand<Found[]>('vscode.executeImplementationProvider', editor.document.uri, editor.selection.active);
  const modules = found.map(locationOf).filter(({ uri }) => uri.path.endsWith('.ptx'));
  await goTo(editor, modules, 'No PTX of this line: compile with -lineinfo and open the module');
}
