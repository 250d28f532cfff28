// proof only: 30
// The same URL in Apprise and here: both send the same request, as far as both have the members. Apprise is used where the
// machine has it (`pip install apprise`), or at the path that `SVC_TEST_APPRISE` names.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { KINDS, render } from '../../plugins/notify/src/kinds/index.ts';
import { readChannelUrl } from '../../plugins/notify/src/urls/index.ts';
import { suite } from '../runner/suite.ts';
import { context, messageOf } from './messages.ts';

const test = suite('Apprise');
const PROGRAM = process.env['SVC_TEST_APPRISE'] ?? 'apprise';
const message = messageOf([], { type: 'text', title: 'T', text: 'B', severity: 'warning' });

function isThere(): boolean {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

/** What Apprise sends for the URL that is made with the port of a recorder. */
async function recorded(urlOf: (port: number) => string) {
  const found: { request: IncomingMessage; body: string }[] = [];
  const server = createServer(async (request, response) => {
    found.push({ request, body: await text(request) });
    response.end('{"id":1,"code":200}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = urlOf((server.address() as AddressInfo).port);
  try {
    await promisify(execFile)(PROGRAM, ['-t', 'T', '-b', 'B', url], { timeout: 20_000 });
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
  assert.is(found.length, 1);
  const [{ request, body }] = found as [(typeof found)[0]];
  return { url, path: request.url, method: request.method, headers: request.headers, body };
}

/** URL with PORT, and the members of the body and the headers that must be equal. */
const ROWS: readonly (readonly [
  url: string,
  members: readonly string[],
  headers: readonly string[],
])[] = [
  ['ntfy://127.0.0.1:PORT/topic', ['topic', 'title', 'message'], []],
  ['ntfy://tk_abc@127.0.0.1:PORT/topic', ['topic', 'title', 'message'], ['authorization']],
  ['ntfy://ops:word@127.0.0.1:PORT/topic', ['topic', 'title', 'message'], ['authorization']],
  ['gotify://127.0.0.1:PORT/tok', ['title', 'message', 'priority'], ['x-gotify-key']],
  ['bark://127.0.0.1:PORT/key', ['device_key', 'title', 'body'], []],
  ['json://ops:word@127.0.0.1:PORT/path', ['title'], ['authorization']],
  ['mmost://127.0.0.1:PORT/abcdefghijklmnopqrstuvwxyz?channel=ops', ['channel'], []],
  [
    'rocket://a1b2c3d4e5f6a7b8c/a1b2c3d4e5f6a7b8c9d0e1f2a1b2c3d4e5f6a7b8c9d0e1f2@127.0.0.1:PORT/#ops',
    ['channel'],
    [],
  ],
];

const run = isThere() ? test : test.skip;
if (run === test.skip) process.stdout.write(`  skipped: ${PROGRAM} not installed\n`);
for (const [form, members, names] of ROWS)
  run(`${form} means the same to Apprise`, async () => {
    const theirs = await recorded((port) => form.replace('PORT', `${port}`));
    const { kind: name, config, secret } = readChannelUrl(theirs.url);
    const kind = KINDS.get(name)!;
    const rendered = render(message, { kind, ...context });
    const ours = kind.request!({ ...config, ...secret }, rendered, context);
    assert.is(new URL(ours.url).pathname, theirs.path);
    assert.is(ours.method, theirs.method);
    assert.match(theirs.headers['content-type'] ?? '', 'application/json');
    const headers = new Headers(ours.headers as [string, string][]);
    for (const one of names) assert.is(headers.get(one), theirs.headers[one], one);
    const [mine, other] = [JSON.parse(ours.body as string), JSON.parse(theirs.body)];
    for (const one of members) assert.equal(mine[one], other[one], one);
  });

test.run();
