/** Sends `ptx-atomics.toml` to the server, for diagnostics alone: every other feature of TOML belongs to other extensions. */
import * as vscode from 'vscode';
import {
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  type BaseLanguageClient,
} from 'vscode-languageclient';

/** Whether a document is a settings file, by its name. */
export function isSettingsFile(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && document.uri.path.endsWith('/ptx-atomics.toml');
}

/** Sends the open settings files and their changes to a running server until it is disposed. */
export function sendSettingsFiles(client: BaseLanguageClient): vscode.Disposable {
  const convert = client.code2ProtocolConverter;
  const open = (document: vscode.TextDocument): void => {
    if (isSettingsFile(document)) void client.sendNotification(DidOpenTextDocumentNotification.type, convert.asOpenTextDocumentParams(document));
  };
  vscode.workspace.textDocuments.forEach(open);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (!isSettingsFile(document) || contentChanges.length === 0) return;
      void client.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: convert.asVersionedTextDocumentIdentifier(document),
        contentChanges: [{ text: document.getText() }],
      });
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (isSettingsFile(document)) void client.sendNotification(DidCloseTextDocumentNotification.type, convert.asCloseTextDocumentParams(document));
    }),
  );
}
