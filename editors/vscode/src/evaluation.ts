/** "Evaluate": asks for values, and shows the result until the line changes. */
import * as vscode from 'vscode';

/** The server's command. */
export const COMMAND = 'ptxAtomics.evaluate';

/** The argument of the server's lenses. */
export interface Question {
  uri: string;
  position: { line: number; character: number };
  input: string;
  inputs?: string[];
}

/** Asks for values and suggests those of the server; `undefined` if the user cancels. */
export async function askForValues(question: Question): Promise<string | undefined> {
  const proposals = question.inputs ?? [question.input];
  return new Promise((resolve) => {
    const pick = vscode.window.createQuickPick();
    pick.title = 'Values for the atomic';
    pick.placeholder = 'values such as [a]=5, b=3';
    const offer = (typed: string): void => {
      const own = typed === '' || proposals.includes(typed) ? [] : [{ label: typed, description: 'as typed', alwaysShow: true }];
      pick.items = [...own, ...proposals.map((label) => ({ label }))];
    };
    offer('');
    pick.onDidChangeValue(offer);
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.label ?? pick.value);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** The displayed results. */
export class Results implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorInlayHint.foreground') },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly shown = new Map<string, { line: number; source: string; text: string }[]>();
  private readonly watch = vscode.workspace.onDidChangeTextDocument((event) => this.follow(event));
  private readonly close = vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString()));
  private readonly editors = vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor)));

  show(uri: string, line: number, text: string): void {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
    if (!document || line >= document.lineCount) return;
    const others = (this.shown.get(uri) ?? []).filter((result) => result.line !== line);
    this.shown.set(uri, [...others, { line, source: document.lineAt(line).text, text }]);
    this.redraw(uri);
  }

  /** The results of a document, for tests. */
  of(uri: string): { line: number; text: string }[] {
    return (this.shown.get(uri) ?? []).map(({ line, text }) => ({ line, text }));
  }

  /** Moves results with their lines, and removes those whose line was edited. */
  private follow(event: vscode.TextDocumentChangeEvent): void {
    const uri = event.document.uri.toString();
    let results = this.shown.get(uri);
    if (!results || results.length === 0) return;
    for (const change of event.contentChanges) {
      const grown = change.text.split('\n').length - 1 - (change.range.end.line - change.range.start.line);
      results = results.map((result) => (result.line > change.range.start.line ? { ...result, line: result.line + grown } : result));
    }
    const { document } = event;
    const holds = (result: { line: number; source: string }): boolean =>
      result.line >= 0 && result.line < document.lineCount && document.lineAt(result.line).text === result.source;
    this.shown.set(uri, results.filter(holds));
    this.redraw(uri);
  }

  private redraw(uri: string): void {
    vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.toString() === uri).forEach((editor) => this.draw(editor));
  }

  private draw(editor: vscode.TextEditor): void {
    const results = this.shown.get(editor.document.uri.toString()) ?? [];
    const options = results.map(({ line, text }) => {
      const end = editor.document.lineAt(line).range.end;
      return { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } };
    });
    editor.setDecorations(this.decoration, options);
  }

  dispose(): void {
    vscode.Disposable.from(this.decoration, this.watch, this.close, this.editors).dispose();
  }
}
