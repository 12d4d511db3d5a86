/** Memory before and after a run, as two texts that the editor compares. */
import * as vscode from 'vscode';

const SCHEME = 'ptx-atomics-memory';

/** A buffer as the server returns it: elements as text. */
export interface RunBuffer {
  name: string;
  type: string;
  length: number;
  before: string[];
  after: string[];
  changed: number[];
}

type Side = 'before' | 'after';

/** A line for each element. */
function text(buffers: RunBuffer[], side: Side): string {
  const lines = buffers.flatMap((buffer) => {
    const { name, type, length } = buffer;
    const elements = buffer[side].map((value, index) => `${name}[${index}] = ${value}`);
    const more = length > elements.length ? [`… ${length - elements.length} more elements`] : [];
    return [`${name}: ${type}[${length}]`, ...elements, ...more, ''];
  });
  return lines.join('\n');
}

/** The texts of the last run. */
export class MemoryPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private buffers: RunBuffer[] = [];
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return text(this.buffers, query === 'before' ? 'before' : 'after');
  }

  /** Opens the memory of a run beside that of before. */
  async show(kernel: string, buffers: RunBuffer[]): Promise<void> {
    this.buffers = buffers;
    const [before, after] = (['before', 'after'] as const).map((query) => vscode.Uri.from({ scheme: SCHEME, path: `memory of ${kernel}`, query }));
    if (!before || !after) return;
    this.changed.fire(before);
    this.changed.fire(after);
    await vscode.commands.executeCommand('vscode.diff', before, after, `Memory of ${kernel}: before ↔ after`);
  }

  dispose(): void {
    vscode.Disposable.from(this.changed, this.registration).dispose();
  }
}
