/** Pages of the server's reference, shown as Markdown. */
import * as vscode from 'vscode';

const SCHEME = 'ptx-atomics';

/** The command that opens a page. */
const FORMS = 'ptxAtomics.showForms';

/** The URL of a rule's page in the server's diagnostics. */
export const PAGES = `${SCHEME}:/{code}.md`;

/** The topics at a position: the whole opcode, then its mnemonic. */
export function topics(line: string, character: number): string[] {
  for (const match of line.matchAll(/(?<![\w.%$])[a-z][a-z0-9_]*(?:(?:\.|::)[A-Za-z0-9_]+)*/g)) {
    if (match.index <= character && character <= match.index + match[0].length) {
      const words = match[0].split('.');
      return words.map((_, cut) => words.slice(0, words.length - cut).join('.'));
    }
  }
  return [];
}

/** Replaces links to pages in a hover with commands, because VS Code does not follow other links to them. */
export function linkPages<H extends vscode.Hover | null | undefined>(hover: H): H {
  for (const content of hover?.contents ?? []) {
    if (!(content instanceof vscode.MarkdownString)) continue;
    content.value = content.value.replace(/\(ptx-atomics:\/([\w.]+)\.md\)/g, (_, topic: string) => `(command:${FORMS}?${encodeURIComponent(JSON.stringify([topic]))})`);
    content.isTrusted = { enabledCommands: [FORMS] };
  }
  return hover;
}

/** Gives `ptx-atomics:` documents their text by `ptx-atomics explain`. */
export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(private readonly explain: (topic: string) => Promise<string | undefined>) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const topic = uri.path.replace(/^\//, '').replace(/\.md$/, '');
    return (await this.explain(topic)) ?? `ptx-atomics has no page about ${topic}.`;
  }

  /** Opens the page of the first topic that has one; otherwise shows a message. */
  async open(candidates: string[]): Promise<vscode.Uri | undefined> {
    for (const topic of candidates) {
      if ((await this.explain(topic)) === undefined) continue;
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${topic}.md` });
      await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
      return uri;
    }
    const asked = candidates[0];
    void vscode.window.showInformationMessage(asked ? `No documentation for ${asked}.` : 'No instruction at the cursor.');
    return undefined;
  }

  dispose(): void {
    this.registration.dispose();
  }
}
