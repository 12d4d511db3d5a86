/** The debugger for kernels: the server of the extension speaks the Debug Adapter Protocol, too. */
import * as vscode from 'vscode';
import { findBinary } from './binary';
import { debugValues } from './debugValues';
import { kernelAt } from './kernelAt';
import type { KernelRuns } from './kernelRuns';
import { RUN } from './requests';

const TYPE = 'ptx-atomics';

/** Registers the debugger. */
export function registerDebugger(context: vscode.ExtensionContext, runs: KernelRuns): void {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor: async () => new vscode.DebugAdapterExecutable(await findBinary(context), ['dap']),
    }),
    vscode.languages.registerEvaluatableExpressionProvider('ptx', debugValues),
    vscode.languages.registerInlineValuesProvider('ptx', debugValues),
    vscode.debug.registerDebugConfigurationProvider(TYPE, { resolveDebugConfiguration: (_, configuration) => completed(configuration, runs) }),
  );
}

/** Without a launch configuration, the kernel at the cursor is debugged, with the launch of "Run". */
async function completed(configuration: vscode.DebugConfiguration, runs: KernelRuns): Promise<vscode.DebugConfiguration | undefined> {
  if (configuration['program'] !== undefined) return configuration;
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'ptx') {
    void vscode.window.showErrorMessage('PTX: no `program` in the launch configuration');
    return undefined;
  }
  const completed = { stopOnEntry: true, ...configuration, type: TYPE, request: 'launch', name: 'Debug kernel', program: editor.document.fileName };
  const kernel = await kernelAt(editor, RUN);
  if (!kernel) return completed;
  const asked = await runs.ask(kernel, 'Debug');
  return asked && { ...completed, launch: `${asked.kernel} ${asked.launch}` };
}
