/** The native library of SQLite is loaded where a SQLite file is the main database, and nowhere else. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { sharedPostgres } from '../postgres.ts';
import { suite } from '../runner/suite.ts';

const run = promisify(execFile);
const child = fileURLToPath(new URL('./database-addon-child.ts', import.meta.url));
const test = suite('the SQLite library');

for (const [dialect, expected] of [
  ['sqlite', 'loaded'],
  ['postgres', 'absent'],
] as const) {
  test(`is ${expected} in a server on ${dialect} with every plugin`, async () => {
    // The child finds it by the environment.
    if (dialect === 'postgres') sharedPostgres();
    const { stdout } = await run(process.execPath, [...process.execArgv, child, dialect]);
    assert.match(stdout, new RegExp(`SQLite library: ${expected}`));
  });
}

test.run();
