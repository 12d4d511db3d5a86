/** Finds the server. */
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { serverPath } from './settings';

const NAME = process.platform === 'win32' ? 'ptx-atomics.exe' : 'ptx-atomics';

async function runs(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The server of the setting, else the bundled one, else the one in `PATH`. Throws an error with a message for the user. */
export async function findBinary(context: vscode.ExtensionContext): Promise<string> {
  const given = serverPath();
  if (given !== '') {
    if (isAbsolute(given) && !(await runs(given))) {
      throw new Error(`cannot execute ${given}, the server of the setting ptxAtomics.server.path`);
    }
    return given;
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const path of [join(context.extensionPath, 'bin', NAME), ...folders.map((folder) => join(folder, NAME))]) {
    if (await runs(path)) return path;
  }
  throw new Error(
    'no server found: run `cargo install --profile dist --features dist --path server/cli` in the repository, or set ptxAtomics.server.path',
  );
}
