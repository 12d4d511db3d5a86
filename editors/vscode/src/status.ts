/** The status bar item: target, version and diagnostics. It opens the menu, or restarts a stopped server. */
import * as vscode from 'vscode';
import { moduleHead } from './content';
import { isForeign } from './foreign';
import { languages, target } from './settings';

/** Shown instead of a target for languages whose texts name none. */
const names: Record<string, string> = { nvsass: 'SASS', 'ptx-litmus': 'PTX litmus' };

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

  constructor() {
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
    const ours = vscode.languages.getDiagnostics(document.uri).filter((one) => one.source === 'ptx-atomics');
    const count = (severity: vscode.DiagnosticSeverity): number => ours.filter((one) => one.severity === severity).length;
    const errors = count(vscode.DiagnosticSeverity.Error);
    const warnings = count(vscode.DiagnosticSeverity.Warning);
    const override = target();
    const where = override !== '' ? `${override} (set)` : (head.target ?? names[document.languageId] ?? 'PTX');
    const version = head.version === undefined ? '' : ` · PTX ${head.version}`;
    const icon = this.health === 'starting' ? '$(sync~spin)' : '$(circuit-board)';
    this.shown = `${icon} ${where}${version} · ${findings(errors, warnings)}`;
    this.show('ptxAtomics.menu', 'PTX Atomics: set target, restart server, show log', undefined);
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
    vscode.Disposable.from(this.item, ...this.watches).dispose();
  }
}

function findings(errors: number, warnings: number): string {
  const part = (count: number, word: string): string[] => (count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]);
  return [...part(errors, 'error'), ...part(warnings, 'warning')].join(', ') || 'no findings';
}
