import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DESCRIPTION = 'Plugins of this svc server: npm install PACKAGE in this folder.';

/**
 * Makes a folder of configuration one that npm installs packages into. Without a `package.json` of its own npm takes the
 * next one above, which is that of the checkout where the folder lies in it. `type` lets a plugin in one file `.js` import without a warning of Node.
 */
export function makePackageFolder(folder: string): void {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return;
  const description = { private: true, type: 'module', description: DESCRIPTION };
  writeFileSync(file, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
}
