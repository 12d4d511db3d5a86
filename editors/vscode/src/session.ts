/** The language server in a browser's worker: it keeps the open texts, and has the engine answer each request about one of them. */
import {
  BrowserMessageReader,
  BrowserMessageWriter,
  createProtocolConnection,
  ErrorCodes,
  LSPErrorCodes,
  ResponseError,
  type CancellationToken,
  type DidChangeConfigurationParams,
  type DidChangeTextDocumentParams,
  type DidCloseTextDocumentParams,
  type DidOpenTextDocumentParams,
  type InitializeParams,
  type MessageConnection,
  type ProtocolConnection,
  type TextDocumentItem,
} from 'vscode-languageserver-protocol/browser';
import { execute, use } from '../../web/src/program.js';
import { CHECK, ELSEWHERE, EXECUTIONS, RUN, type Execution, type ExecutionResult } from './requests';

/** Only the parameters that say which document a request is about. */
interface AboutDocument {
  textDocument?: { uri: string };
  item?: { uri: string };
  data?: { uri?: string };
  command?: string;
  arguments?: { uri?: string }[];
}

interface Request {
  method: string;
  params: unknown;
}

type Answer = { result: unknown } | { error: string };

/** What may take longer than a key may wait. */
const LONG = [RUN, CHECK, EXECUTIONS];

/** Sent after the settings have changed: the answers of before no longer hold. */
const REFRESHED = ['workspace/diagnostic/refresh', 'workspace/inlayHint/refresh', 'workspace/codeLens/refresh'];

class Session {
  private readonly documents = new Map<string, TextDocumentItem>();
  private client: Partial<InitializeParams> = {};
  private settings: unknown = {};

  constructor(private readonly connection: ProtocolConnection) {
    // Handlers of everything: the types of a connection leave them out.
    const all = connection as unknown as MessageConnection;
    all.onRequest((method, params, token) => this.answer(method, (params ?? {}) as AboutDocument, token));
    all.onNotification((method, params) => this.notified(method, params));
  }

  private async answer(method: string, params: AboutDocument, token: CancellationToken): Promise<unknown> {
    if (method === 'initialize') {
      this.client = params as Partial<InitializeParams>;
      return this.ask({ uri: 'file:///none.ptx', languageId: 'ptx', version: 0, text: '' }, { method, params: {} }, token);
    }
    if (method === 'shutdown') return null;
    const uri = params.textDocument?.uri ?? params.item?.uri ?? params.data?.uri ?? params.arguments?.[0]?.uri;
    const document = this.documents.get(uri ?? '');
    // What has no document is answered unchanged, such as a completion without documentation.
    if (!document) return method === 'completionItem/resolve' ? params : null;
    return this.ask(document, { method, params }, token);
  }

  /** The engine's answer to a request about a text. */
  private async ask({ uri, languageId, version, text }: TextDocumentItem, request: Request, token: CancellationToken): Promise<unknown> {
    const { capabilities, initializationOptions } = this.client;
    const question = { uri, languageId, version, text, capabilities, options: initializationOptions, settings: this.settings, requests: [request] };
    const execution: Execution = { args: ['lsp', '--single-text'], input: JSON.stringify(question) };
    const asked = (request.params as AboutDocument).command ?? request.method;
    const run: ExecutionResult = LONG.includes(asked) ? await this.connection.sendRequest(ELSEWHERE, execution, token) : execute(execution);
    if (run.code !== 0) throw new ResponseError(token.isCancellationRequested ? LSPErrorCodes.RequestCancelled : ErrorCodes.InternalError, run.errors);
    const [answer] = JSON.parse(run.output) as [Answer];
    if ('error' in answer) throw new ResponseError(LSPErrorCodes.RequestFailed, answer.error);
    return answer.result;
  }

  private notified(method: string, params: unknown): void {
    switch (method) {
      case 'textDocument/didOpen': {
        const { textDocument } = params as DidOpenTextDocumentParams;
        this.documents.set(textDocument.uri, textDocument);
        break;
      }
      case 'textDocument/didChange': {
        const { textDocument, contentChanges } = params as DidChangeTextDocumentParams;
        const document = this.documents.get(textDocument.uri);
        const text = contentChanges.at(-1)?.text;
        if (document && text !== undefined) Object.assign(document, { version: textDocument.version, text });
        break;
      }
      case 'textDocument/didClose':
        this.documents.delete((params as DidCloseTextDocumentParams).textDocument.uri);
        break;
      case 'workspace/didChangeConfiguration':
        this.settings = (params as DidChangeConfigurationParams).settings ?? {};
        // A client that lacks one of them answers with an error.
        for (const refresh of REFRESHED) void this.connection.sendRequest(refresh).catch(() => undefined);
        break;
    }
  }
}

/** The first message has the module; all others are those of the protocol. */
self.onmessage = ({ data }: MessageEvent<{ module: WebAssembly.Module }>) => {
  use(data.module);
  const worker = self as unknown as DedicatedWorkerGlobalScope;
  const connection = createProtocolConnection(new BrowserMessageReader(worker), new BrowserMessageWriter(worker));
  new Session(connection);
  connection.listen();
};
