/** The extension in a browser: the engine is WebAssembly, in a worker for the language and one for what may take long. */
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/browser';
import { activateOn, type Api } from './extension';
import { SECTION } from './settings';
import { ELSEWHERE, type Execution, type ExecutionResult } from './requests';

export { deactivate } from './extension';

/** The engine for commands. A command that is cancelled ends it, and the next one gets another. */
class Commands implements vscode.Disposable {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, (result: ExecutionResult) => void>();
  private last = 0;

  constructor(private readonly start: () => Promise<Worker>) {}

  async execute(request: Execution, token?: vscode.CancellationToken): Promise<ExecutionResult> {
    if (!this.worker) {
      this.worker = await this.start();
      this.worker.onmessage = ({ data }: MessageEvent<ExecutionResult & { id: number }>) => {
        this.waiting.get(data.id)?.(data);
        this.waiting.delete(data.id);
      };
    }
    const id = ++this.last;
    const worker = this.worker;
    const cancelled = token?.onCancellationRequested(() => this.dispose());
    return new Promise<ExecutionResult>((done) => {
      this.waiting.set(id, done);
      worker.postMessage({ id, ...request });
    }).finally(() => cancelled?.dispose());
  }

  dispose(): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const done of this.waiting.values()) done({ code: -1, output: '', errors: 'cancelled' });
    this.waiting.clear();
  }
}

export function activate(context: vscode.ExtensionContext): Promise<Api> {
  const file = (name: string): vscode.Uri => vscode.Uri.joinPath(context.extensionUri, 'dist', name);
  let compiled: Promise<WebAssembly.Module> | undefined;
  // VS Code refuses a worker whose script comes from a remote machine, so the script is read first.
  const scripts = new Map<string, string>();
  const urlOf = async (script: string): Promise<string> => {
    const bytes = await vscode.workspace.fs.readFile(file(script));
    return URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'text/javascript' }));
  };
  const start = async (script: string): Promise<Worker> => {
    const url = scripts.get(script) ?? (await urlOf(script));
    scripts.set(script, url);
    compiled ??= Promise.resolve(vscode.workspace.fs.readFile(file('engine.wasm'))).then((bytes) => WebAssembly.compile(bytes as BufferSource));
    const module = await compiled;
    const worker = new Worker(url);
    worker.postMessage({ module });
    return worker;
  };
  const commands = new Commands(() => start('engine.js'));
  context.subscriptions.push(commands);

  return activateOn(context, {
    schemes: undefined,
    connect: async (options) => {
      const worker = await start('session.js');
      const client = new LanguageClient(SECTION, 'PTX Atomics', options, worker);
      client.onRequest(ELSEWHERE, (request: Execution, token) => commands.execute(request, token));
      const dispose = client.dispose.bind(client);
      client.dispose = async (timeout) => dispose(timeout).finally(() => worker.terminate());
      return client;
    },
    explain: async (topic) => {
      const { code, output } = await commands.execute({ args: ['explain', '--', topic] });
      return code === 0 ? output : undefined;
    },
    registerDebugger: () => {
      const refuse = (): undefined => void vscode.window.showInformationMessage('PTX: kernels are debugged in VS Code on the desktop. In the browser, use "Run" and "Check" above the kernel.');
      context.subscriptions.push(vscode.debug.registerDebugConfigurationProvider('ptx-atomics', { resolveDebugConfiguration: refuse }));
    },
  });
}
