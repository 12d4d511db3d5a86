/** The status bar item: target, version, findings; a click opens the menu. */
import * as vscode from 'vscode';
import { moduleHead } from './content';
import { isForeign } from './foreign';
import { languages, target } from './settings';

/** What stands where a target would, in languages whose texts name none. */
const names: Record<string, string> = { sass: 'SASS', 'ptx-litmus': 'PTX litmus' };

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
    this.item.command = 'ptxAtomics.menu';
    this.refresh();
  }

  set(health: Health): void {
    this.health = health;
    this.refresh();
  }

  /** What is on show, for tests; empty where the item is hidden. */
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
    const head = document.languageId === 'ptx' ? moduleHead(document.getText()) : {};
    const ours = vscode.languages.getDiagnostics(document.uri).filter((one) => one.source === 'ptx-atomics');
    const count = (severity: vscode.DiagnosticSeverity): number => ours.filter((one) => one.severity === severity).length;
    const errors = count(vscode.DiagnosticSeverity.Error);
    const warnings = count(vscode.DiagnosticSeverity.Warning);
    const override = target();
    const where = override !== '' ? `${override} (set)` : (head.target ?? names[document.languageId] ?? 'PTX');
    const version = head.version === undefined ? '' : ` · PTX ${head.version}`;
    const icon = { starting: '$(sync~spin)', running: '$(circuit-board)', stopped: '$(error)' }[this.health];
    this.shown = `${icon} ${where}${version} · ${findings(errors, warnings)}`;
    this.item.text = this.shown;
    this.item.tooltip = this.health === 'stopped' ? 'The server has stopped. Select to restart it.' : 'PTX Atomics: set target, restart server, show log';
    this.item.backgroundColor = this.health === 'stopped' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
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
