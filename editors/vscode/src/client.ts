/** The language client: starts the server, asks for values before an evaluation, and puts pictures into hovers. */
import type * as vscode from 'vscode';
import { State, type BaseLanguageClient, type LanguageClientOptions, type StaticFeature } from 'vscode-languageclient';
import { restartAfterCrash } from './crashes';
import { askForValues, COMMAND, type Question, type Results } from './evaluation';
import { withPicture, type Ask } from './executions';
import { isForeign } from './foreign';
import type { KernelCheck, KernelChecks } from './kernelChecks';
import type { KernelLaunch, KernelRun, KernelRuns } from './kernelRuns';
import { linkPages, PAGES } from './pages';
import type { Platform } from './platform';
import { CHECK, RUN } from './requests';
import { enabledHosts, languages, SECTION } from './settings';
import type { EvaluateLenses } from './lenses';
import { withOneSuppression } from './suppressions';
import type { Status } from './status';

/** Tells the server that this client displays the results of evaluations, and diagnostics with the hover. */
const DISPLAYS: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), evaluationResults: true, diagnosticsInHover: true, kernelRuns: true, kernelChecks: true };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

export async function createClient(
  platform: Platform,
  output: vscode.OutputChannel,
  status: Status,
  results: Results,
  runs: KernelRuns,
  checks: KernelChecks,
  lenses: EvaluateLenses,
  ask: Ask,
): Promise<BaseLanguageClient> {
  const options: LanguageClientOptions = {
    documentSelector: languages().flatMap((language) => platform.schemes?.map((scheme) => ({ scheme, language })) ?? [{ language }]),
    outputChannel: output,
    errorHandler: restartAfterCrash(() => client),
    // Without these, the server would check C++ and Python files until it has received the settings.
    initializationOptions: { pages: PAGES, ...enabledHosts() },
    synchronize: { configurationSection: SECTION },
    middleware: {
      didOpen: async (document, next) => {
        if (!isForeign(document)) await next(document);
      },
      provideHover: async (document, position, token, next) => withPicture(linkPages(await next(document, position, token)), document, position, ask),
      provideCodeActions: async (document, range, context, token, next) => withOneSuppression(await next(document, range, context, token)),
      provideCodeLenses: (document, token, next) => lenses.provide(document, async () => (await next(document, token)) ?? []),
      executeCommand: async (command, args: unknown[], next) => {
        if (command === RUN) {
          const launch = await runs.ask(args[0] as KernelLaunch);
          if (!launch) return undefined;
          return runs.run(launch, async (launch) => (await next(command, [launch])) as KernelRun | undefined);
        }
        if (command === CHECK) {
          const launch = await runs.ask(args[0] as KernelLaunch, 'Check');
          return launch && checks.check(launch, (token) => client.sendRequest<KernelCheck | undefined>('workspace/executeCommand', { command, arguments: [launch] }, token));
        }
        if (command !== COMMAND) return next(command, args);
        const question = args[0] as Question;
        const input = await askForValues(question);
        if (input === undefined) return undefined;
        const answer: unknown = await next(command, [{ uri: question.uri, position: question.position, input }]);
        if (typeof answer === 'string') results.show(question.uri, question.position.line, answer);
        return answer;
      },
    },
  };
  const client = await platform.connect(options);
  client.registerFeature(DISPLAYS);
  client.onDidChangeState(({ newState }) => {
    status.set(newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped');
  });
  return client;
}
