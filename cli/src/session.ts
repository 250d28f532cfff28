import { type Client, createClient, type Methods, RpcError, type Subscriptions } from '@svc/client';
import { loginFor } from './credentials.ts';
import { Complaint, type Surroundings } from './io.ts';
import { clean, table } from './table.ts';

export interface Flags {
  readonly json: boolean;
  readonly server: string | undefined;
  readonly follow: boolean;
  readonly count: number | undefined;
  readonly timeout_s: number | undefined;
  readonly name: string | undefined;
  readonly params: string | undefined;
  readonly route: string | undefined;
  readonly env: string | undefined;
  readonly as: 'call' | 'cron' | undefined;
}

type Listed = Methods['agent-uuid_list']['result'][number];

/** An agent with what the server tells of it: older servers know the name only. */
export type KnownAgent = Pick<Listed, 'uuid' | 'name'> & Partial<Listed>;

/** Agents of a full page of `agent-uuid_list`. */
const PAGE = 10_000;

export type AnyMethods = Record<
  string,
  { params: Record<string, unknown>; result: unknown; item: unknown }
>;

/** One run of the program: its arguments, its server, its output. */
export class Session {
  readonly io: Surroundings;
  readonly flags: Flags;
  /** Behind the command's name. */
  readonly words: readonly string[];
  #client: Client<Methods, Subscriptions> | undefined;

  constructor(io: Surroundings, flags: Flags, words: readonly string[]) {
    this.io = io;
    this.flags = flags;
    this.words = words;
  }

  /** Fails at once where a page would wait: somebody sits in front of it. */
  get client(): Client<Methods, Subscriptions> {
    const { url, token } = loginFor(this.io, this.flags.server);
    const timeout_ms = (this.flags.timeout_s ?? 30) * 1_000;
    this.#client ??= createClient(url, { token, reconnect: false, timeout_ms });
    return this.#client;
  }

  /** For methods that are named by the caller. */
  get anyMethod(): Client<AnyMethods, AnyMethods> {
    return this.client as unknown as Client<AnyMethods, AnyMethods>;
  }

  /** The argument at a place. @throws Complaint that names it */
  word(at: number, name: string): string {
    const word = this.words[at];
    if (word === undefined) throw new Complaint(`${name} is missing`, 2);
    return word;
  }

  print(text: string): void {
    this.io.stdout.write(text);
  }

  /** A value for `--json`: one line, so that a stream of them can be read. */
  printJson(value: unknown): void {
    const text = JSON.stringify(value, (_key, member) =>
      typeof member === 'bigint' ? String(member) : member,
    );
    this.print(`${text ?? 'null'}\n`);
  }

  printRows(rows: readonly Record<string, unknown>[], names: readonly string[]): void {
    if (this.flags.json) this.printJson(rows);
    else this.print(table(this.io, rows, names));
  }

  /** Every agent that may be listed; of a server without `agent-uuid_list` their names, too. @throws RpcError */
  async agents(): Promise<readonly KnownAgent[]> {
    const known: KnownAgent[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.client.call('agent-uuid_list', after ? { after } : {}).catch(lacking);
      if (!page) break;
      known.push(...page);
      after = page.at(-1)?.uuid;
      if (page.length < PAGE) return known;
    }
    const uuids = await this.client.call('agent-uuid_list_all');
    const names = await this.#names(uuids);
    return uuids.map((uuid) => ({ uuid, name: names.get(uuid) ?? null }));
  }

  /** Names of agents, from where dashboards keep them; none without the right to read them. */
  async #names(uuids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const namespace_key = uuids.map((namespace) => ({ namespace, key: 'metadata_name' }));
    if (uuids.length === 0) return new Map();
    const rows = await this.client.call('kv_get_multi_value', { namespace_key }).catch(refusal);
    const named = rows?.filter(({ value }) => typeof value === 'string' && value !== '') ?? [];
    return new Map(named.map(({ namespace, value }) => [namespace, value as string]));
  }

  /** The agent with this UUID or name, or the only one whose UUID begins so. @throws Complaint */
  async agent(given: string): Promise<string> {
    // Who may not list agents may still give a whole UUID.
    const known = await this.agents().catch(refusal);
    if (!known && UUID.test(given)) return given;
    if (!known) throw new Complaint(`this credential may not list agents: give the whole UUID`);
    const byName = known.filter(({ name }) => name === given);
    const byStart = known.filter(({ uuid }) => uuid.startsWith(given.toLowerCase()));
    const found = byName.length > 0 ? byName : byStart;
    const uuid = found[0]?.uuid;
    if (uuid === undefined) throw new Complaint(`no agent '${given}': svc agents lists them`);
    if (found.length > 1) throw new Complaint(ambiguous(given, found));
    return uuid;
  }

  close(): void {
    this.#client?.close();
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** So many agents are named where several fit. */
const SHOWN = 10;

function ambiguous(given: string, found: readonly KnownAgent[]): string {
  const lines = found
    .slice(0, SHOWN)
    .map(({ uuid, name }) => clean(`  ${uuid}  ${name ?? ''}`).trimEnd());
  const more = found.length > SHOWN ? [`  and ${found.length - SHOWN} more`] : [];
  return [`'${given}' may be one of these: give more of the UUID`, ...lines, ...more].join('\n');
}

/** Undefined for a method that this server lacks. @throws the error, when it is another one */
function lacking(error: unknown): undefined {
  if (error instanceof RpcError && error.code === -32601) return undefined;
  throw error;
}

/** Undefined for a right that is missing, or a plugin that this server lacks. @throws the error, when it is another one */
function refusal(error: unknown): undefined {
  if (error instanceof RpcError && error.code === 102) return undefined;
  return lacking(error);
}
