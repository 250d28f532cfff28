/** What a plugin begins and does not wait for: told with its name, and no reason to end. */
// proof only: 15
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { makeSite, rpc, startServer } from '../process/server.ts';
import { suite } from '../runner/suite.ts';

const test = suite('stray rejections');

const PLUGIN = `
import { definePlugin, Type } from '@svc/plugin-sdk';
const stray = (where) => { Promise.reject(new Error('stray of ' + where)); };
export default definePlugin({
  name: 'careless',
  version: '1.0.0',
  namespaces: ['careless'],
  setup({ clock, hooks }) {
    hooks.methods.tap((methods) => methods.add('careless_call', {
      summary: 'Forgets to wait.',
      params: {},
      result: Type.String(),
      access: 'public',
      handle: () => { stray('a method'); return 'done'; },
    }));
    hooks.routes.tap((routes) => routes.add({
      path: '/careless',
      handle: (exchange) => { stray('a route'); exchange.text(200, 'done'); },
    }));
    hooks.ready.tap(() => void clock.timeout(() => stray('a timer'), 10));
  },
});
`;

// Before Node 24 the name of the plugin would cost every promise.
const isNamed = Number(process.versions.node.split('.')[0]) >= 24;
(isNamed ? test : test.skip)('name their plugin in the log, and end nothing', async () => {
  const site = await makeSite(
    'sqlite://{dir}/svc.db?mode=rwc',
    'plugins = ["token", "server-info", "./careless.mjs"]',
  );
  await writeFile(join(site.dir, 'careless.mjs'), PLUGIN);
  const server = await startServer(site);
  try {
    assert.is((await rpc(site.url, 'careless_call', [])).result, 'done');
    assert.is(await (await fetch(`${site.url}/careless`)).text(), 'done');
    const found = () =>
      [...server.output().matchAll(/a rejection was not handled.*/g)].map(([line]) => line);
    for (const end = Date.now() + 30_000; found().length < 3 && Date.now() < end; ) await pause(20);
    for (const where of ['a method', 'a route', 'a timer'])
      assert.ok(
        found().some((line) => line.includes(`stray of ${where}`) && line.includes('careless')),
        `${where}: ${server.output()}`,
      );
    assert.is((await rpc(site.url, 'careless_call', [])).result, 'done');
  } finally {
    const { code } = await server.end('SIGTERM');
    site.remove();
    assert.is(code, 0);
  }
});

test.run();
