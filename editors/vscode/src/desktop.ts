/** The extension where processes can be started. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { findBinary } from './binary';
import { registerDebugger } from './debug';
import { activateOn, type Api } from './extension';
import { SECTION, serverArguments } from './settings';

export { deactivate } from './extension';

export function activate(context: vscode.ExtensionContext): Promise<Api> {
  return activateOn(context, {
    schemes: ['file', 'untitled'],
    connect: async (options) => new LanguageClient(SECTION, 'PTX Atomics', { command: await findBinary(context), args: ['lsp', ...serverArguments()] }, options),
    explain: async (topic) => (await promisify(execFile)(await findBinary(context), ['explain', '--', topic]).catch(() => undefined))?.stdout,
    registerDebugger,
  });
}
