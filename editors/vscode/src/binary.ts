/** Where the server lies. */
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

/**
 * The setting, else the bundled server of this platform, else the one in the path.
 * Throws a sentence for people if there is none.
 */
export async function findBinary(context: vscode.ExtensionContext): Promise<string> {
  const given = serverPath();
  if (given !== '') {
    if (isAbsolute(given) && !(await runs(given))) {
      throw new Error(`the setting ptxAtomics.server.path names ${given}, which cannot be run`);
    }
    return given;
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const path of [join(context.extensionPath, 'bin', NAME), ...folders.map((folder) => join(folder, NAME))]) {
    if (await runs(path)) return path;
  }
  throw new Error(
    'this extension has no server for your platform: `cargo install --path server/cli` in the repository builds it, or name one in the setting ptxAtomics.server.path',
  );
}
