import { Egress } from '@svc/plugin-egress/api';
import { type Clock, type Kernel, RpcError } from '@svc/plugin-sdk';
import type { Config } from '../config.ts';

const WEEK_MS = 7 * 86_400_000;
/** Time after a failure in which nobody asks again. */
const PAUSE_MS = 60_000;
const LIMIT_MS = 10_000;
/** Bytes of the list: IANA's has some 60 kB. */
const MOST_BYTES = 1_048_576;

type ByEnding = ReadonlyMap<string, string>;
type Read = (signal: AbortSignal) => Promise<unknown>;

/** Registries of domains by the ends of their names, from IANA's list for RDAP (RFC 9224 §5), read anew each week. */
export class Registries {
  readonly #clock: Clock;
  readonly #read: Read;
  #list: Promise<ByEnding> | undefined;
  #until = 0;

  constructor(clock: Clock, read: Read) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Returns the address below which the registry of a domain answers. @throws Error in words */
  async baseOf(name: string): Promise<string> {
    const list = await this.#now();
    const labels = name.split('.');
    for (let from = 1; from < labels.length; from++) {
      const base = list.get(labels.slice(from).join('.'));
      if (base !== undefined) return base;
    }
    throw new Error(`the registry of .${labels.at(-1)} tells no ends of domains (RDAP)`);
  }

  /** Refuses domains of which nothing can be told. @throws RpcError 108 */
  async demand(name: string): Promise<void> {
    await this.baseOf(name).catch((error: Error) => {
      throw RpcError.invalid(`'name': ${error.message}`);
    });
  }

  #now(): Promise<ByEnding> {
    const now = this.#clock.now();
    if (this.#list && now < this.#until) return this.#list;
    this.#until = now + WEEK_MS;
    const list = this.#read(AbortSignal.timeout(LIMIT_MS)).then(listOf);
    list.catch(() => {
      this.#until = this.#clock.now() + PAUSE_MS;
    });
    this.#list = list.catch((error: Error) => {
      throw new Error(`the list of registries cannot be read: ${error.message}`);
    });
    return this.#list;
  }
}

/** Reads `{"services": [[[ENDING, …], [URL, …]], …]}`. @throws Error where it is no such list */
function listOf(given: unknown): ByEnding {
  const { services } = (given ?? {}) as { services?: unknown };
  if (!Array.isArray(services)) throw new Error('it is no list of RDAP services');
  const list = new Map<string, string>();
  for (const [endings, urls] of services as [string[], string[]][]) {
    const url = urls.find((one) => one.startsWith('https:')) ?? urls[0];
    if (url === undefined) continue;
    for (const ending of endings) list.set(ending.toLowerCase(), url.replace(/\/?$/, '/'));
  }
  return list;
}

/** Opens the list that the configuration names. The operator names it, so it may stand at a private address; nothing else is reached. */
export function openRegistries({ clock, config, ...kernel }: Kernel<Config>): Registries {
  const url = new URL(config.rdap_list);
  const port = url.port || (url.protocol === 'https:' ? 443 : 80);
  const rules = { connect_ms: LIMIT_MS, idle_ms: LIMIT_MS, max_bytes: MOST_BYTES };
  const key = 'rdap_list under [monitor]';
  const egress = kernel.use(Egress).open({ ...rules, key, allow: [`${url.hostname}:${port}`] });
  return new Registries(clock, async (signal) => {
    const headers = [['accept', 'application/json']] as const;
    const request = { url: url.href, method: 'GET', headers, redirect: 'follow', signal } as const;
    const { status, body } = await egress.request({ ...request, limit_ms: LIMIT_MS });
    const content = Buffer.concat(await body.toArray());
    if (status !== 200) throw new Error(`${url.host} answered with status ${status}`);
    return JSON.parse(content.toString('utf8'));
  });
}
