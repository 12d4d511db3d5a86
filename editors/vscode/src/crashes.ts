/** What happens when the connection to the server breaks. */
import { ErrorAction, type BaseLanguageClient, type ErrorHandler } from 'vscode-languageclient';

/**
 * Restarts a server that has ended, unless it ends again and again.
 *
 * By default a failed write stops the client for good: who types into a server that has just crashed would have none from then on.
 * The end of the process is always reported after it, and decides.
 */
export function restartAfterCrash(client: () => BaseLanguageClient): ErrorHandler {
  let whenClosed: ErrorHandler | undefined;
  return {
    error: () => ({ action: ErrorAction.Continue, handled: true }),
    closed: () => (whenClosed ??= client().createDefaultErrorHandler()).closed(),
  };
}
