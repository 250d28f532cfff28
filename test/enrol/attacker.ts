/** A server that is not the one that it seems to be: it passes everything on, and answers some addresses with its own. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { TestApp } from '@svc/plugin-sdk/testing';
import { signedText } from '../../plugins/enrol/src/manifest.ts';
import { blocksOf, keysOf, type SigningKey } from '../../plugins/enrol/src/signing-key.ts';

export type Changes = { [path: string]: (body: Buffer) => string | Buffer };

/** WebSockets are passed on, too. `changes` may be filled later. */
export async function standIn(app: TestApp, changes: Changes) {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const forwarded = request(`${app.url}${url}`, { method, headers }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      const body = Buffer.concat(parts);
      outgoing.writeHead(response.statusCode ?? 500);
      outgoing.end(changes[url]?.(body) ?? body);
    });
    incoming.pipe(forwarded);
  });
  server.on('upgrade', (incoming, near, head) => {
    const far = connect(Number(new URL(app.url).port), '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    const lines = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${value}`);
    far.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    far.write(head);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, changes, close };
}

export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');

/** The keys in the file of a server. */
export function keysIn(app: TestApp): SigningKey[] {
  const path = join(app.dir, 'signing.key');
  return keysOf(blocksOf(readFileSync(path, 'utf8'), path));
}

/** The manifest of a server with another version and agent, signed by these keys, or with the old signatures left in place. */
export function manifestWith(
  text: string,
  {
    agent,
    version,
    made = Date.now(),
    keys,
  }: { agent: string; version?: string; made?: number; keys?: SigningKey[] },
): string {
  const changed = text
    .replace(/^(agent \S+) \S+ \d+$/m, `$1 ${digestOf(agent)} ${agent.length}`)
    .replace(/^(agent|installer) \S+/gm, (all, kind) => (version ? `${kind} ${version}` : all));
  if (!keys) return changed;
  const lines = changed
    .split('\n')
    .filter((line) => /^(?:agent|installer|runtime|terminal) /.test(line));
  return signedText(lines, made, keys);
}
