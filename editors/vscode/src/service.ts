/** Starts the server with the first document in one of its languages, and restarts it on demand. */
import * as vscode from 'vscode';
import { CodeLensRequest, type BaseLanguageClient, type CodeLens } from 'vscode-languageclient';
import { createClient } from './client';
import { CursorReports } from './cursor';
import { COMMAND, type Question, type Results } from './evaluation';
import type { Ask, Executions } from './executions';
import { isForeign } from './foreign';
import { hasPtx } from './hosts';
import type { KernelChecks } from './kernelChecks';
import type { KernelRuns } from './kernelRuns';
import { EvaluateLenses } from './lenses';
import type { Platform } from './platform';
import { EXECUTIONS } from './requests';
import { OWN } from './settings';
import { isSettingsFile, sendSettingsFiles } from './settingsFile';
import { TARGET_REQUEST, type Status, type TargetInForce } from './status';

export class Service {
  private client: BaseLanguageClient | undefined;
  private settingsFiles: vscode.Disposable | undefined;
  private readonly lenses = new EvaluateLenses(() => this.client);
  /** Whether the last start failed. The error is shown once, not with every document. */
  private failed = false;
  /** Starts and stops run one after another. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    context: vscode.ExtensionContext,
    private readonly platform: Platform,
    private readonly output: vscode.OutputChannel,
    private readonly status: Status,
    private readonly results: Results,
    private readonly runs: KernelRuns,
    private readonly checks: KernelChecks,
  ) {
    context.subscriptions.push(this.lenses, new CursorReports(() => this.client));
  }

  /** Starts the server if it does not run and one of the documents is in one of its languages or has PTX in its strings. */
  wanted(documents: readonly vscode.TextDocument[]): Promise<void> {
    return this.inTurn(async () => {
      const isOwn = ({ languageId }: vscode.TextDocument): boolean => (OWN as readonly string[]).includes(languageId);
      const ours = (document: vscode.TextDocument): boolean =>
        isSettingsFile(document) || (isOwn(document) && !isForeign(document)) || hasPtx(document);
      if (!this.client && !this.failed && documents.some(ours)) await this.start();
    });
  }

  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      await this.start();
    });
  }

  /** Restarts the server after a setting of its start changed, if a document still needs it. */
  async reconfigured(): Promise<void> {
    await this.stop();
    await this.wanted(vscode.workspace.textDocuments);
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  /** Evaluates with the values of the lens on the cursor's line, if there is one. */
  async evaluateHere(editor: vscode.TextEditor): Promise<unknown> {
    if (!this.client) return undefined;
    const uri = this.client.code2ProtocolConverter.asUri(editor.document.uri);
    const { line, character } = editor.selection.active;
    const lenses: CodeLens[] = (await this.client.sendRequest(CodeLensRequest.type, { textDocument: { uri } })) ?? [];
    const lens = lenses.find((one) => one.range.start.line === line);
    const carried = lens?.command?.arguments?.[0] as Question | undefined;
    return vscode.commands.executeCommand(COMMAND, carried ?? { uri, position: { line, character }, input: '', inputs: [] });
  }

  /** The executions of the litmus test at a position. */
  async executions(document: vscode.TextDocument, position: vscode.Position): Promise<Executions | null> {
    if (!this.client) return null;
    const uri = this.client.code2ProtocolConverter.asUri(document.uri);
    const { line, character } = position;
    return this.client.sendRequest<Executions | null>(EXECUTIONS, { textDocument: { uri }, position: { line, character } });
  }

  /** The targets that override those of a document. */
  async target(document: vscode.TextDocument): Promise<TargetInForce | null> {
    if (!this.client) return null;
    const uri = this.client.code2ProtocolConverter.asUri(document.uri);
    return this.client.sendRequest<TargetInForce | null>(TARGET_REQUEST, { textDocument: { uri } });
  }

  private inTurn(act: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(act);
    return this.queue;
  }

  private async start(): Promise<void> {
    try {
      const ask: Ask = (document, position) => this.executions(document, position);
      this.client = await createClient(this.platform, this.output, this.status, this.results, this.runs, this.checks, this.lenses, ask);
      await this.client.start();
      this.settingsFiles = sendSettingsFiles(this.client);
    } catch (error) {
      await this.end();
      this.failed = true;
      this.status.set('stopped');
      const message = error instanceof Error ? error.message : String(error);
      this.output.appendLine(message);
      void vscode.window.showErrorMessage(`PTX Atomics: ${message}`, 'Open Settings').then((chosen) => {
        if (chosen) void vscode.commands.executeCommand('workbench.action.openSettings', 'ptxAtomics.server');
      });
    }
  }

  private async end(): Promise<void> {
    const former = this.client;
    this.client = undefined;
    this.failed = false;
    this.settingsFiles?.dispose();
    this.settingsFiles = undefined;
    await former?.dispose().catch(() => undefined);
  }
}
