// U+0000 in any text of any call, found from the examples of the methods: Postgres holds no such text, and says so to no caller.
import type { App } from '@svc/kernel';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

/** The value once for each text in it, with U+0000 at the end of that text. */
function* spoilt(value: unknown, path = ''): Generator<readonly [path: string, value: unknown]> {
  if (typeof value === 'string') yield [path, `${value}\0`];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value))
    for (const [at, other] of spoilt(part, `${path}.${name}`)) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      yield [at, Object.assign(copy, { [name]: other })];
    }
}

/** kv.md §2 names 999 for Postgres; the SQL is the caller's own, and so is its error. */
const ITSELF = /^(?:kv_|svc-server_exec_sql|db_exec_sql)/;
/** The only other texts of 103 here. */
const NOT_FOUND = / not found$/;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`U+0000 (${dialect})`);

  test('in no text of any method does it end in an error of the database', async () => {
    const app = await bootForTest(undefined, {}, { dialect });
    const { methods } = app.kernel as App;
    const { plugins } = (app.kernel as any).kernelOf('token');
    const examples = new Map<string, unknown>();
    for (const plugin of plugins)
      for (const { method, params, error } of plugin.examples ?? [])
        if (!error && !examples.has(method)) examples.set(method, params);
    let asked = 0;
    const faults: string[] = [];
    for (const { name, credential, definition } of methods.values()) {
      if (credential === undefined || definition.open || ITSELF.test(name)) continue;
      for (const [path, params] of spoilt(examples.get(name) ?? {})) {
        const all = { [credential]: app.superToken, ...(params as object) };
        const { error } = await app.rpc({ jsonrpc: '2.0', id: 1, method: name, params: all });
        asked++;
        const isFault = error?.code === 999 || error?.code === 103;
        if (isFault && !NOT_FOUND.test(error.message))
          faults.push(`${name}${path}: ${error.code} ${error.message}`);
      }
    }
    await app.stop();
    assert.equal(faults, []);
    assert.ok(asked > 100, `${asked} texts`);
  });

  test.run();
}
