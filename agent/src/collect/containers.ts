import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { readBody } from '../http/body.ts';

/** One container as its engine tells it. `created` in Unix seconds; `health` where the container has a check. */
export interface Container {
  id: string;
  name: string;
  image: string;
  state: string;
  created: number;
  health?: string;
}

/** The containers of this machine, at most 200 of `total`, or why they could not be listed. */
export interface Containers {
  total: number;
  containers: Container[];
  error?: string;
}

const MOST = 200;
const MAX_BODY_BYTES = 8 * 2 ** 20;
const LIMIT_MS = 5000;

function knownSockets(): string[] {
  if (process.platform === 'win32') return ['//./pipe/docker_engine'];
  const own = process.env['XDG_RUNTIME_DIR'];
  const rootless = own ? [join(own, 'podman/podman.sock'), join(own, 'docker.sock')] : [];
  return ['/var/run/docker.sock', '/run/podman/podman.sock', ...rootless];
}

/** Asks Docker or Podman at this socket, or at the first known one that is there; undefined where there is none. */
export async function readContainers(socket: string): Promise<Containers | undefined> {
  const path = socket || knownSockets().find((one) => existsSync(one));
  if (path === undefined) return undefined;
  try {
    return parseContainers(await ask(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { total: 0, containers: [], error: `cannot ask ${path}: ${code ?? message}` };
  }
}

/** Asks for the list of containers, the only question that is ever sent. */
async function ask(socketPath: string): Promise<unknown> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const call = request({ socketPath, path: '/containers/json?all=1', agent: false, signal });
    call.on('response', resolve).on('error', reject);
    call.setHeader('host', 'localhost').end();
  });
  const body = await readBody(answer, MAX_BODY_BYTES);
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  return JSON.parse(body.toString('utf8'));
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 256) : '');

/** The list of the engines' API, without labels, addresses and paths. */
export function parseContainers(list: unknown): Containers {
  if (!Array.isArray(list)) throw new Error('the answer is no list');
  const containers = list.slice(0, MOST).map((entry: Record<string, unknown>): Container => {
    const { Id, Names, Image, State, Status, Created } = entry ?? {};
    const health = /\((healthy|unhealthy|health: starting)\)/.exec(text(Status))?.[1];
    return {
      id: text(Id).slice(0, 12),
      name: text(Array.isArray(Names) ? Names[0] : '').replace(/^\//, ''),
      image: text(Image),
      state: text(State),
      created: Number.isSafeInteger(Created) ? Number(Created) : 0,
      ...(health && { health: health.replace('health: ', '') }),
    };
  });
  return { total: list.length, containers };
}
