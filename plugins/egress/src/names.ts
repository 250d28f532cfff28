import { type LookupAddress, lookup, Resolver } from 'node:dns';
import { Resolver as PromiseResolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SerialQueue } from '@svc/plugin-sdk/util';
import type { Resolve } from './lookup.ts';

/** Timeout of the first query to each name server; the second one has twice this. */
const QUESTION_MS = 2_500;
/** Time that one address family has after the answer of the other: some name servers drop queries for IPv6. */
const OTHER_FAMILY_MS = 300;
/** Most concurrent lookups. */
const MOST = 1_024;
/** Most names that wait for the machine's own lookup, which runs one at a time. */
const MOST_FOR_MACHINE = 16;
/** Time after which files of the machine are read again. */
const FRESH_MS = 5_000;
const KEPT = 3;

const HOSTS =
  process.platform === 'win32'
    ? `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts';
const RESOLV_CONF = '/etc/resolv.conf';

/** Name resolution settings of the machine. */
interface Machine {
  readonly resolver: Resolver;
  readonly hosts: ReadonlyMap<string, readonly LookupAddress[]>;
  /** Search domains for short names, and the number of dots that makes a name long. */
  readonly search: readonly string[];
  readonly dots: number;
}

/**
 * Looks names up without the threads that files and scrypt share: `getaddrinfo` holds one of them for as long as a
 * name server is silent. Names stand in the machine's file of hosts, or its name servers are asked, IPv4 first. Names
 * that only the machine knows otherwise, without a dot or under `.local`, go to it one at a time.
 */
export class Names {
  readonly #servers: () => readonly string[];
  /** Recent resolvers: their queries end before there are so many newer ones. */
  #resolvers: readonly Resolver[] = [];
  #machine: Promise<Machine> | undefined;
  #read_at = 0;
  #running = 0;
  #forMachine = 0;
  readonly #machineQueue = new SerialQueue();

  /** `servers`: `IP` or `IP:port`; none: those of the machine. */
  constructor(servers: () => readonly string[]) {
    this.#servers = servers;
  }

  /** Resolves like `dns.lookup` with `all`. */
  readonly resolve: Resolve = (hostname, { family }, done) => {
    const wanted = family === 4 || family === 6 ? family : undefined;
    this.#lookUp(hostname.toLowerCase()).then(
      (found) => {
        const fitting = found.filter((one) => wanted === undefined || one.family === wanted);
        if (fitting.length > 0) done(null, fitting);
        else done(failed('ENOTFOUND', hostname), []);
      },
      (error: NodeJS.ErrnoException) => done(failed(error.code ?? 'EAI_FAIL', hostname), []),
    );
  };

  /** Drops the settings of the machine, as after a change of the servers. */
  forget(): void {
    this.#read_at = 0;
  }

  /** Cancels all queries. */
  close(): void {
    for (const resolver of this.#resolvers) resolver.cancel();
  }

  async #lookUp(name: string): Promise<readonly LookupAddress[]> {
    if (this.#running >= MOST) throw coded('EAI_AGAIN');
    this.#running++;
    try {
      const machine = await this.#machineNow();
      const known = machine.hosts.get(name.replace(/\.$/, ''));
      if (known) return known;
      if (/(?:^|\.)localhost\.?$/.test(name)) return LOCALHOST;
      for (const candidate of candidatesOf(name, machine)) {
        const found = await asked(machine.resolver, candidate);
        if (found.length > 0) return found;
      }
      return /^[^.]+$|\.local\.?$/.test(name) ? await this.#byMachine(name) : [];
    } finally {
      this.#running--;
    }
  }

  #machineNow(): Promise<Machine> {
    const now = performance.now();
    if (!this.#machine || now - this.#read_at > FRESH_MS) {
      this.#read_at = now;
      this.#machine = machineOf(this.#servers());
      // Servers that the reader of the configuration took are addresses: this does not fail.
      void this.#machine.then(({ resolver }) => {
        this.#resolvers = [resolver, ...this.#resolvers].slice(0, KEPT);
      });
    }
    return this.#machine;
  }

  async #byMachine(name: string): Promise<readonly LookupAddress[]> {
    if (this.#forMachine >= MOST_FOR_MACHINE) throw coded('EAI_AGAIN');
    this.#forMachine++;
    const work = this.#machineQueue.run(
      () =>
        new Promise<readonly LookupAddress[]>((resolve) => {
          lookup(name, { all: true }, (error, found) => resolve(error ? [] : found));
        }),
    );
    return work.finally(() => {
      this.#forMachine--;
    });
  }
}

const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

async function machineOf(servers: readonly string[]): Promise<Machine> {
  const resolver = new Resolver({ timeout: QUESTION_MS, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const [hosts, conf] = await Promise.all([textOf(HOSTS), textOf(RESOLV_CONF)]);
  const lines = conf.split('\n').map((line) => line.trim().split(/\s+/));
  const [, ...search] = lines.findLast(([word]) => word === 'search' || word === 'domain') ?? [];
  const dots = Number(/^options\s.*\bndots:(\d+)/m.exec(conf)?.[1] ?? 1);
  return { resolver, hosts: hostsIn(hosts), search, dots };
}

/** Creates a client of name servers (`IP:port`), or of those of the machine. */
export function resolverOf(servers: readonly string[]): PromiseResolver {
  const resolver = new PromiseResolver({ timeout: QUESTION_MS, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

/** Reads a file of the machine; without it there are no such names. */
const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** Addresses by name, out of the text of a file of hosts. */
export function hostsIn(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const found = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const list = found.get(name.toLowerCase()) ?? [];
      found.set(name.toLowerCase(), [...list, { address, family }]);
    }
  }
  return found;
}

/** Names to query, in the order of resolv.conf(5). */
export function candidatesOf(
  name: string,
  { search, dots }: Pick<Machine, 'search' | 'dots'>,
): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const longer = search.filter((ending) => ending !== '.').map((ending) => `${name}.${ending}`);
  return name.split('.').length > dots ? [name, ...longer] : [...longer, name];
}

/** Both families, IPv4 first; none when the name does not exist. @throws Error when no server answers */
async function asked(resolver: Resolver, name: string): Promise<readonly LookupAddress[]> {
  const question = (family: 4 | 6) =>
    new Promise<LookupAddress[]>((resolve, reject) => {
      resolver[`resolve${family}`](name, (error, found) => {
        if (!error) resolve(found.map((address) => ({ address, family })));
        else if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') resolve([]);
        else reject(error);
      });
    });
  const [four, six] = [question(4), question(6)];
  const soon = (other: Promise<LookupAddress[]>) =>
    Promise.race([other.catch(() => []), delay(OTHER_FAMILY_MS, [], { ref: false })]);
  const first = await Promise.any([four, six].map(nonEmpty)).catch(() => undefined);
  if (!first) return (await Promise.all([four, six])).flat();
  return [...(await soon(four)), ...(await soon(six))];
}

async function nonEmpty(question: Promise<LookupAddress[]>): Promise<LookupAddress[]> {
  const found = await question;
  if (found.length === 0) throw coded('ENODATA');
  return found;
}

const coded = (code: string): Error => Object.assign(new Error(code), { code });

/** Error in the form of `dns.lookup`. */
const failed = (code: string, hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code, hostname });

/** Addresses of name servers as a resolver takes them. */
export const withPort = (found: readonly LookupAddress[], port: number): string[] =>
  found.map(({ address, family }) => `${family === 6 ? `[${address}]` : address}:${port}`);
