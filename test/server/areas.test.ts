/** What a list of plugins has, and what it does not have: for each of the built-in ones. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from '@svc/plugin-sdk';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
import { builtInNames, loadPlugin } from '../../server/src/plugins/find.ts';
import { suite } from '../runner/suite.ts';

const test = suite('areas');
const dir = mkdtempSync(join(tmpdir(), 'svc-areas-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

const names = builtInNames();
const plugins = new Map<string, Plugin>();
for (const name of names) plugins.set(name, await loadPlugin(name, dir));

/** They are of no use without buckets, and bring them along. */
const WITH_BUCKETS = new Set(['static-bucket-file', 'static-webdav']);

const providerOf = (service: string): string | undefined =>
  names.find((name) => plugins.get(name)?.provides?.some((one) => one.service === service));

/** A plugin with the plugins that it requires, as a list has to name them. */
function withRequired(name: string, list = new Set<string>()): Set<string> {
  list.add(name);
  for (const { service } of plugins.get(name)?.requires ?? []) {
    const provider = providerOf(service);
    if (provider !== undefined && !list.has(provider)) withRequired(provider, list);
  }
  return list;
}

/** Methods of a server with this list, with their plugins. Nothing listens. */
async function methodsOf(list: Iterable<string>): Promise<[method: string, plugin: string][]> {
  const id = randomUUID();
  const config = join(dir, `${id}.toml`);
  const database = join(dir, `${id}.db`);
  const url = `[database]\ndatabase_url = "sqlite://${database}?mode=rwc"`;
  const listener = 'ws_listener = "127.0.0.1:0"';
  writeFileSync(config, `server_uuid = "${id}"\n${listener}\nstatic_path = "${dir}"\n${url}\n`);
  const tool = { mode: 'tool', bare: () => true, console: () => {} } as const;
  const app = await start({ ...tool, config, plugins: [...list] });
  const methods = [...app.methods.values()].map(({ name, plugin }) => [name, plugin] as const);
  await app.stop('looked at');
  return methods as [string, string][];
}

const namespacesOf = (list: Iterable<string>) =>
  new Set([...list].flatMap((name) => plugins.get(name)?.namespaces ?? []));

for (const name of names) {
  test(`a list with '${name}' has the methods of what it names, and of nothing else`, async () => {
    const list = withRequired(name);
    const namespaces = namespacesOf(list);
    if (WITH_BUCKETS.has(name)) namespaces.add('static-bucket');
    const strange = (await methodsOf(list)).filter(
      ([method]) => !namespaces.has(method.replace(/_.*/, '')) && !namespaces.has(method),
    );
    assert.equal(strange, []);
  });

  test(`a list without '${name}' has none of its methods`, async () => {
    const list = names.filter((other) => !withRequired(other).has(name));
    const buckets = name === 'static-bucket' ? WITH_BUCKETS : new Set<string>();
    const without = list.filter((other) => !buckets.has(other));
    const isBrought = without.some((other) => plugins.get(other)?.brings?.includes(name));
    // What others bring along is no area of its own.
    const own = [...namespacesOf([name])].filter((one) => !namespacesOf(without).has(one));
    if (isBrought) assert.equal(own, []);
    const methods = isBrought ? [] : await methodsOf(without);
    assert.equal(
      methods.filter(([, plugin]) => plugin === name),
      [],
    );
  });
}

test.run();
