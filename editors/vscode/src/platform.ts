/** What differs between the desktop, where the server is a process, and the browser, where it is a worker. */
import type * as vscode from 'vscode';
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient';
import type { KernelRuns } from './kernelRuns';

export interface Platform {
  /** The schemes of the documents that the server gets; all of them if `undefined`. */
  readonly schemes: readonly string[] | undefined;
  /** A client of a new server, not yet started. */
  connect(options: LanguageClientOptions): Promise<BaseLanguageClient>;
  /** The page of a topic in Markdown; `undefined` if there is none. */
  explain(topic: string): Promise<string | undefined>;
  registerDebugger(context: vscode.ExtensionContext, runs: KernelRuns): void;
}
