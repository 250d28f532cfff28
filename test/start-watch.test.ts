// proof only: 12
/** `npm start -- --watch`: a change of a listed plugin or of the configuration starts server and agent again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { killAtExit, makeSite } from './process/server.ts';
import { suite } from './runner/suite.ts';

const test = suite('start with --watch');
const start = resolve(import.meta.dirname, '../scripts/start.mjs');
const LIMIT_MS = 90_000;

const pluginText = (word: string) => `export default {
  name: 'word',
  version: '1.0.0',
  setup: ({ hooks }) => hooks.routes.tap((routes) =>
    routes.add({ path: '/word', handle: (exchange) => exchange.text(200, '${word}') })),
};
`;

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await pause(50)) {
    if (await isTrue()) return;
  }
  throw new Error(`not within ${LIMIT_MS / 1000} s: ${what}`);
}

/** Process ids of the agents with this configuration file. */
function agents(config: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(config);
    } catch {
      // The process has ended meanwhile.
      return false;
    }
  });
}

test('starts again after a change, in order, and ends with a signal', async () => {
  const site = await makeSite(
    'sqlite://{dir}/svc.db?mode=rwc',
    'plugins = ["token", "server-info", "agent", "agent-uuid", "./word.js"]',
  );
  const plugin = join(site.dir, 'word.js');
  writeFileSync(plugin, pluginText('one'));
  writeFileSync(join(site.dir, 'package.json'), '{ "type": "module" }');
  const options = ['--watch', '--config', site.config, '--data', site.dir];
  const program = spawn(process.execPath, [start, ...options], {
    cwd: site.dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killAtExit(program);
  let output = '';
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const closed = once(program, 'close');
  const word = () =>
    fetch(`${site.url}/word`).then(
      (response) => response.text(),
      () => '',
    );
  const starts = () => output.split('svc is ready').length - 1;
  const agent = join(site.dir, 'agent.toml');
  try {
    await until('the first start', async () => (await word()) === 'one');
    await until('the first agent', () => agents(agent).length === 1);
    const [first] = agents(agent);

    writeFileSync(plugin, pluginText('two'));
    await until('the changed plugin', async () => (await word()) === 'two');
    await until('another agent', () => {
      const [now, ...more] = agents(agent);
      return now !== undefined && now !== first && more.length === 0;
    });
    assert.match(output, `${plugin} has changed: starting again …\n`);

    writeFileSync(plugin, 'export default {');
    await until('the broken plugin', () => /plugin '.\/word.js' could not be loaded/.test(output));
    writeFileSync(plugin, pluginText('three'));
    await until('the mended plugin', async () => (await word()) === 'three');

    const before = starts();
    const config = readFileSync(site.config, 'utf8');
    writeFileSync(site.config, `shutdown_timeout_ms = 5000\n${config}`);
    await until('the changed configuration', () => starts() > before);
    assert.is(await word(), 'three');
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${output}`);
  } finally {
    program.kill('SIGTERM');
    const [status] = await closed;
    assert.is(status, 0, output);
    await until('the agent ends', () => agents(agent).length === 0);
    site.remove();
  }
});

test.run();
