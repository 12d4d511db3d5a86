/** The status bar item: target, version and diagnostics. It opens the menu, or restarts a stopped server. */
import * as vscode from 'vscode';
import { moduleHead } from './content';
import { isForeign } from './foreign';
import { languages } from './settings';

/** Shown instead of a target for languages whose texts name none. */
const names: Record<string, string> = { nvsass: 'SASS', 'ptx-litmus': 'PTX litmus' };

/** The server's request. */
export const TARGET_REQUEST = 'ptxAtomics/target';

/** The targets that override the module's, and where they are set. */
export interface TargetInForce {
  targets: string[];
  source: 'command line' | 'editor' | 'file' | 'compile commands';
}

const SOURCES: Record<TargetInForce['source'], string> = {
  'command line': '--target',
  editor: 'settings',
  file: 'ptx-atomics.toml',
  'compile commands': 'compile_commands.json',
};

export type Health = 'starting' | 'running' | 'stopped';

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('ptxAtomics.status', vscode.StatusBarAlignment.Right, 90);
  private health: Health = 'starting';
  private readonly watches = [
    vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
    vscode.languages.onDidChangeDiagnostics(() => this.refresh()),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === vscode.window.activeTextEditor?.document) this.refresh();
    }),
    vscode.workspace.onDidChangeConfiguration(() => this.refresh()),
  ];

  /** The answer of the server for the active document. */
  private inForce: { document: vscode.TextDocument; target: TargetInForce | null } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly request: (document: vscode.TextDocument) => Promise<TargetInForce | null>) {
    this.item.name = 'PTX Atomics';
    this.refresh();
  }

  set(health: Health): void {
    this.health = health;
    this.refresh();
  }

  /** The displayed text, for tests; empty while the item is hidden. */
  get text(): string {
    return this.shown;
  }

  private shown = '';

  private refresh(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !languages().includes(document.languageId) || isForeign(document)) {
      this.shown = '';
      this.item.hide();
      return;
    }
    if (this.health === 'stopped') return this.showStopped();
    const head = document.languageId === 'ptx' ? moduleHead(document.getText()) : {};
    const ours = vscode.languages.getDiagnostics(document.uri).filter((one) => one.source?.startsWith('ptx-atomics') === true);
    const count = (severity: vscode.DiagnosticSeverity): number => ours.filter((one) => one.severity === severity).length;
    const errors = count(vscode.DiagnosticSeverity.Error);
    const warnings = count(vscode.DiagnosticSeverity.Warning);
    this.ask(document);
    const override = this.inForce?.document === document ? this.inForce.target : null;
    const own = head.target ?? names[document.languageId] ?? 'PTX';
    const where = override ? `${targetsOf(override)} (${SOURCES[override.source]})` : own;
    const version = head.version === undefined ? '' : ` · PTX ${head.version}`;
    const icon = this.health === 'starting' ? '$(sync~spin)' : '$(circuit-board)';
    this.shown = `${icon} ${where}${version} · ${counts(errors, warnings)}`;
    const origin = override
      ? `Target ${override.targets.join(', ')}, set by ${SOURCES[override.source]}${head.target ? `; the module targets ${head.target}` : ''}.`
      : `Target ${own}, set by the module.`;
    const tooltip = document.languageId === 'ptx' || override ? `${origin} Select to change it.` : 'Set target, restart server, show log';
    this.show('ptxAtomics.menu', tooltip, undefined);
  }

  /** Asks the server after a pause, and refreshes if its answer has changed. */
  private ask(document: vscode.TextDocument): void {
    clearTimeout(this.timer);
    if (this.health !== 'running') return;
    this.timer = setTimeout(async () => {
      const target = await this.request(document).catch(() => null);
      const known = this.inForce?.document === document ? this.inForce.target : undefined;
      if (JSON.stringify(known) === JSON.stringify(target)) return;
      this.inForce = { document, target };
      this.refresh();
    }, 200);
  }

  private showStopped(): void {
    this.shown = '$(error) PTX Atomics: server stopped · Restart';
    this.show('ptxAtomics.restart', 'The PTX Atomics server has stopped. Select to restart it.', new vscode.ThemeColor('statusBarItem.errorBackground'));
  }

  private show(command: string, tooltip: string, background: vscode.ThemeColor | undefined): void {
    this.item.text = this.shown;
    this.item.command = command;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = background;
    this.item.show();
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(this.item, ...this.watches).dispose();
  }
}

/** The first target, and how many there are besides. */
function targetsOf({ targets }: TargetInForce): string {
  return targets.length > 1 ? `${targets[0]} +${targets.length - 1}` : (targets[0] ?? '');
}

function counts(errors: number, warnings: number): string {
  const part = (count: number, word: string): string[] => (count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]);
  return [...part(errors, 'error'), ...part(warnings, 'warning')].join(', ') || 'no problems';
}
