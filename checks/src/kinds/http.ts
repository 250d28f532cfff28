import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { open, secure } from '../connection.ts';
import { type Measurement, since } from '../measurement.ts';
import { readFrom } from '../read.ts';
import type { HttpSpec } from '../types.ts';
import { firstHop, type Hop, linesOf, redirected } from './hops.ts';

/** Provisional answers (1xx) before the one that counts. */
const MOST_PROVISIONAL = 16;
/** Bytes of an answer that a check reads, whatever it asks for. */
const MOST_BYTES = 65_536;
const MOST_LEVELS = 100;

/** Sends a request and follows redirects, each over a connection of its own. */
export async function checkHttp(spec: HttpSpec, measured: Measurement): Promise<void> {
  let hop = firstHop(spec);
  for (let count = 0; ; count++) {
    measured.values['redirects'] = count;
    const socket = await connection(hop, spec, measured);
    const answer = await exchange(hop, socket, measured);
    const next = spec.follow > 0 ? redirected(hop, answer) : undefined;
    if (!next) return readAnswer(answer, spec.max_bytes, measured);
    socket.destroy();
    if (count === spec.follow) throw new Error(`more than ${spec.follow} redirects`);
    hop = next;
  }
}

function connection({ url, method }: Hop, spec: HttpSpec, measured: Measurement): Promise<Socket> {
  if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} is not http: or https:`);
  if (method === 'CONNECT') throw new Error('CONNECT asks for no resource');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port || (isSecure ? 443 : 80));
  const plain = open({ host, port, family: spec.family }, measured);
  if (!isSecure) return plain;
  const options = { host, mustBeValid: !spec.ignore_tls, protocols: ['http/1.1'] };
  return plain.then((socket) => secure(socket, options, measured));
}

/** Sends one request; returns the answer when its headers have come. */
async function exchange(hop: Hop, socket: Socket, measured: Measurement): Promise<IncomingMessage> {
  const begun = measured.clock.monotonic();
  measured.waitsFor = 'answer to the request';
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request({
    createConnection: () => socket,
    method: hop.method,
    path: hop.url.pathname + hop.url.search,
    headers: linesOf(hop, measured.user_agent),
  });
  let provisional = 0;
  sent.on('information', () => {
    if (++provisional > MOST_PROVISIONAL)
      sent.destroy(new Error(`more than ${MOST_PROVISIONAL} provisional answers`));
  });
  sent.once('response', resolve);
  // A server that agrees to another protocol has answered.
  sent.once('upgrade', resolve);
  sent.on('error', reject);
  sent.once('close', () => reject(new Error('the other side closed the connection')));
  sent.end(hop.body);
  const answer = await promise;
  measured.values['ms_first'] = since(begun, measured);
  measured.code = answer.statusCode ?? 0;
  measured.values['status'] = measured.code;
  measured.values['headers'] = answer.headers;
  return answer;
}

/** Reads the body up to the limit. One that is encoded although nobody asked for it is counted and otherwise left alone. */
async function readAnswer(
  answer: IncomingMessage,
  max_bytes: number,
  measured: Measurement,
): Promise<void> {
  const { values } = measured;
  measured.waitsFor = 'end of the answer';
  const most = Math.min(max_bytes, MOST_BYTES);
  const isEmpty = answer.statusCode === 101 || most === 0;
  const nothing = { bytes: Buffer.alloc(0), ended: true };
  const { bytes, ended } = isEmpty ? nothing : await readFrom(answer, { most });
  values['body_bytes'] = bytes.length;
  if (!isEmpty && ended && !answer.complete) throw new Error('the answer broke off');
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return;
  const body = bytes.toString('utf8');
  values['body'] = body;
  measured.sample = body;
  if (ended) values['json'] = jsonOf(body);
}

/** Tells whether a value has more levels than what walks through it can take. */
function isDeep(json: object): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MOST_LEVELS) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one ? Object.values(one) : []));
  }
  return false;
}

/** Returns the value of a body that is JSON, of at most 100 levels. */
function jsonOf(body: string): object | undefined {
  if (!/^\s*[[{]/.test(body)) return undefined;
  try {
    const json = JSON.parse(body) as object;
    return isDeep(json) ? undefined : json;
  } catch {
    // It only begins like JSON: the condition sees no value.
    return undefined;
  }
}
