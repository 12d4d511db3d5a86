/** Pages of the server's reference, shown as Markdown. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';

const SCHEME = 'ptx-atomics';

/** The command that opens a page. */
const FORMS = 'ptxAtomics.showForms';

/** Where the server says that the page of a rule is. */
export const PAGES = `${SCHEME}:/{code}.md`;

/** What may be asked about at a position: the whole spelling, then the mnemonic alone. */
export function topics(line: string, character: number): string[] {
  for (const match of line.matchAll(/(?<![\w.%$])[a-z][a-z0-9_]*(?:(?:\.|::)[A-Za-z0-9_]+)*/g)) {
    if (match.index <= character && character <= match.index + match[0].length) {
      const words = match[0].split('.');
      return words.map((_, cut) => words.slice(0, words.length - cut).join('.'));
    }
  }
  return [];
}

/** Links of a hover to pages as commands: VS Code follows no other links to them. */
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

  constructor(private readonly binary: () => Promise<string>) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const topic = uri.path.replace(/^\//, '').replace(/\.md$/, '');
    return (await this.explain(topic)) ?? `ptx-atomics has no page about ${topic}.`;
  }

  /** Opens the first topic that has a page; says so if none has. */
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

  private async explain(topic: string): Promise<string | undefined> {
    const answer = await promisify(execFile)(await this.binary(), ['explain', '--', topic]).catch(() => undefined);
    return answer?.stdout;
  }

  dispose(): void {
    this.registration.dispose();
  }
}
