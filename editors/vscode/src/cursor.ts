/** Reports the line of the cursor to the server. */
import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import { CURSOR } from './requests';
import { languages } from './settings';

/** Reports each other line that the cursor of the active editor comes to. */
export class CursorReports implements vscode.Disposable {
  private line: number | undefined;
  private readonly watch = vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor));

  constructor(private readonly client: () => BaseLanguageClient | undefined) {}

  private moved({ document, selection }: vscode.TextEditor): void {
    const client = this.client();
    const { line, character } = selection.active;
    if (line === this.line || !client?.isRunning() || !languages().includes(document.languageId)) return;
    this.line = line;
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    void client.sendNotification(CURSOR, { textDocument: { uri }, position: { line, character } });
  }

  dispose(): void {
    this.watch.dispose();
  }
}
