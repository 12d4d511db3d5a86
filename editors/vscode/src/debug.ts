/** The debugger for kernels: the server of the extension speaks the Debug Adapter Protocol, too. */
import * as vscode from 'vscode';
import { findBinary } from './binary';

const TYPE = 'ptx-atomics';

/** Registers the debugger. */
export function registerDebugger(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor: async () => new vscode.DebugAdapterExecutable(await findBinary(context), ['dap']),
    }),
    vscode.debug.registerDebugConfigurationProvider(TYPE, { resolveDebugConfiguration: (_, configuration) => completed(configuration) }),
  );
}

/** Without a launch configuration, the module of the active editor is debugged. */
function completed(configuration: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
  if (configuration['program'] !== undefined) return configuration;
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'ptx') {
    void vscode.window.showErrorMessage('PTX: no `program` in the launch configuration');
    return undefined;
  }
  return { ...configuration, type: TYPE, request: 'launch', name: 'Debug kernel', program: document.fileName, stopOnEntry: true };
}
