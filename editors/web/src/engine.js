/** The program in two workers: one answers the editor, the other runs commands, which may take long and can be stopped. */

/** A worker with the module. Requests wait for one another. */
class Engine {
  #waiting = new Map();
  #next = 0;
  #worker;

  constructor(compiled) {
    this.compiled = compiled;
    this.#start();
  }

  #start() {
    this.#worker = new Worker(new URL('./engine-worker.js', document.baseURI), { type: 'module' });
    this.#worker.onmessage = ({ data: { id, ...result } }) => {
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    };
    this.#worker.postMessage({ module: this.compiled });
  }

  /** Runs the program: `{code, output, errors}`. */
  execute(request) {
    const id = this.#next++;
    return new Promise((done) => {
      this.#waiting.set(id, done);
      this.#worker.postMessage({ id, ...request });
    });
  }

  /** Ends what runs. */
  stop() {
    this.#worker.terminate();
    for (const done of this.#waiting.values()) done({ code: -1, output: '', errors: 'stopped' });
    this.#waiting.clear();
    this.#start();
  }
}

/** Compiles the module once for both workers, while it arrives where the host names its type. */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot load ${url}: ${response.status} ${response.statusText}`);
  if (response.headers.get('Content-Type') === 'application/wasm') return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** What the page can show, in the words of the protocol. */
const CAPABILITIES = {
  experimental: { diagnosticsInHover: true },
  textDocument: {
    publishDiagnostics: { dataSupport: true, relatedInformation: true, codeDescriptionSupport: true, tagSupport: { valueSet: [1, 2] } },
    hover: { contentFormat: ['markdown'] },
    completion: { completionItem: { documentationFormat: ['plaintext'] }, completionItemKind: { valueSet: [1] } },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } }, isPreferredSupport: true },
  },
};

/** The site's pages of rules and instructions: `scripts/site.mjs`. */
const PAGES = new URL('docs/{code}.html', document.baseURI).href.replace(/%7B(code)%7D/i, '{$1}');

export class Engines {
  constructor(compiled) {
    this.editor = new Engine(compiled);
    this.commands = new Engine(compiled);
  }

  static async load(url) {
    return new Engines(await compile(url));
  }

  /** The results of requests of the protocol about a text; a request is `[method, params]`. */
  async ask({ name, language, text }, requests) {
    const uri = `file:///${name}`;
    const messages = requests.map(([method, params]) => ({ method, params: { textDocument: { uri }, ...params } }));
    const question = { uri, languageId: language, text, capabilities: CAPABILITIES, options: { pages: PAGES, inlayHints: { semantics: true, scope: true, space: true } }, requests: messages };
    const { code, output, errors } = await this.editor.execute({ args: ['lsp', '--single-text'], input: JSON.stringify(question) });
    if (code !== 0) throw new Error(errors || `exit code ${code}`);
    return JSON.parse(output).map((answer) => answer.result ?? null);
  }
}
