/**
 * What the first start prints, as a person sees it: what matters comes last, between two rules, and the two lines that
 * installers cut (clients.md §4.1) are as they were.
 */
// proof only: 30
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { freePort } from './ports.ts';
import { makePlace, type Place } from './process/place.ts';
import { killAtExit } from './process/server.ts';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const bin = join(root, 'server', 'bin', 'svc-server.js');
const RULE = /^-{20,}$/m;
const LINES = /^Super Token: [A-Za-z0-9]{16}:[A-Za-z0-9]{32}\nRoot Password: [A-Za-z0-9]{32}\n/m;
const LIMIT_MS = 60_000;

function run(args: readonly string[], cwd: string) {
  const env = { ...process.env, NODE_OPTIONS: '', npm_command: '' };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  killAtExit(child);
  const seen = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (seen.out += chunk));
  child.stderr.on('data', (chunk) => (seen.err += chunk));
  const closed = once(child, 'close').then(([code]) => code as number | null);
  return { child, seen, closed };
}

/** Until both rules are printed. */
async function ruled({ child, seen }: ReturnType<typeof run>): Promise<string[]> {
  for (const end = Date.now() + LIMIT_MS; seen.out.split(RULE).length < 3; await pause(20)) {
    if (child.exitCode === null && Date.now() < end) continue;
    throw new Error(`no two rules: ${seen.out}${seen.err}`);
  }
  return seen.out.split(RULE);
}

const whole = suite('first start (npm start)');
/** When the signal comes: as soon as this is printed. */
for (const printed of [/svc is ready/, /token created/, /they are printed once/])
  whole(
    `npm start that is stopped at ${printed} has printed the two lines, and ends in order`,
    async () => {
      const data = mkdtempSync(join(tmpdir(), 'svc-first-'));
      try {
        const script = join(root, 'scripts', 'run.mjs');
        const args = ['start', '--data', data, '--listen', String(await freePort())];
        const { child, seen, closed } = run([script, ...args], root);
        let isAsked = false;
        child.stdout.on('data', () => {
          if (isAsked || !printed.test(seen.out)) return;
          // A second signal would end it at once.
          isAsked = child.kill('SIGINT');
        });
        assert.is(await closed, 0, seen.out + seen.err);
        assert.match(seen.out, LINES);
      } finally {
        rmSync(data, { recursive: true, force: true });
      }
    },
  );
whole.run();

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`first start (${dialect})`);
  let place: Place;
  test.before.each(async () => {
    place = await makePlace(dialect);
  });
  test.after.each(() => place.remove());

  test('init ends with the two lines between two rules, and the command that starts the server', async () => {
    const { seen, closed } = run([bin, 'init', '-c', place.site.config], place.site.dir);
    assert.is(await closed, 0, seen.err);
    const [before = '', told = '', after = ''] = seen.out.split(RULE);
    assert.match(told, LINES);
    assert.match(told, /^Start {2}svc-server serve -c server\.toml$/m);
    assert.match(told, /^User {3}root$/m);
    assert.is(after, '\n', 'nothing comes behind it');
    assert.not.match(before, LINES);
    assert.is(before.match(/tables were made/g)?.length, 1);
    assert.not.match(before, /migration was applied|\\"/);
  });

  test('init that is stopped once it has made them prints the two lines', async () => {
    const { child, seen, closed } = run([bin, 'init', '-c', place.site.config], place.site.dir);
    child.stdout.on('data', () => {
      if (!child.killed && /they are printed once/.test(seen.out)) child.kill('SIGINT');
    });
    assert.is(await closed, 0, seen.out + seen.err);
    assert.match(seen.out, LINES);
  });

  test('serve says where to open it behind the line that it listens; a second start says none of it', async () => {
    const first = run([bin, 'serve', '-c', place.site.config], place.site.dir);
    const [before = '', told = ''] = await ruled(first);
    assert.match(before, ' listening ');
    assert.match(told, LINES);
    const [, page = ''] = /^Open {3}(\S+)$/m.exec(told) ?? [];
    assert.match(await (await fetch(page)).text(), '<div id="app">');
    const twice = run([bin, 'serve', '-c', place.site.config], place.site.dir);
    assert.is(await twice.closed, 1);
    assert.is(
      twice.seen.err,
      `svc already runs with this configuration, at ${place.site.url} (process ${first.child.pid}). Open it in a browser, or end that one first: kill ${first.child.pid}\n`,
    );
    first.child.kill('SIGTERM');
    assert.is(await first.closed, 0);
    const second = run([bin, 'init', '-c', place.site.config], place.site.dir);
    assert.is(await second.closed, 0);
    assert.not.match(second.seen.out, RULE);
  });

  test('a first start that fails after it made them prints the two lines all the same', async () => {
    const text = readFileSync(place.site.config, 'utf8');
    const wall =
      "export default { name: 'wall', version: '1.0.0', setup: (kernel) => kernel.hooks.start.tap(() => { throw new Error('a wall'); }) };";
    writeFileSync(join(place.site.dir, 'wall.mjs'), wall);
    writeFileSync(place.site.config, `plugins = ["token", "./wall.mjs"]\n${text}`);
    const { seen, closed } = run([bin, 'serve', '-c', place.site.config], place.site.dir);
    assert.is(await closed, 1, seen.out);
    assert.match(seen.err, 'a wall');
    assert.match(seen.out, LINES);
  });

  test.run();
}
