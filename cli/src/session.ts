import { once } from 'node:events';
import { type Client, createClient, type Methods, type Subscriptions } from '@svc/client';
import { loginFor } from './credentials.ts';
import { Complaint, type Surroundings } from './io.ts';
import { printTo } from './output.ts';

export interface Flags {
  readonly json: boolean;
  readonly server: string | undefined;
  readonly follow: boolean;
  readonly dryRun: boolean;
  readonly prune: boolean;
  readonly secrets: boolean;
  readonly monitor: boolean;
  readonly count: number | undefined;
  readonly timeout_s: number | undefined;
  readonly name: string | undefined;
  readonly params: string | undefined;
  readonly route: string | undefined;
  readonly env: string | undefined;
  readonly state: string | undefined;
  readonly group: string | undefined;
  readonly tag: string | undefined;
  readonly as: 'call' | 'cron' | undefined;
}

export type AnyMethods = Record<
  string,
  { params: Record<string, unknown>; result: unknown; item: unknown }
>;

/** One run of the program: its arguments, its server, its output. */
export class Session {
  readonly io: Surroundings;
  readonly flags: Flags;
  /** Words after the command's name. */
  readonly words: readonly string[];
  #client: Client<Methods, Subscriptions> | undefined;

  constructor(io: Surroundings, flags: Flags, words: readonly string[]) {
    this.io = io;
    this.flags = flags;
    this.words = words;
  }

  /** Client of the server. It fails at once where a page would wait: a person sits in front of it. */
  get client(): Client<Methods, Subscriptions> {
    const { url, token } = loginFor(this.io, this.flags.server);
    const timeout_ms = (this.flags.timeout_s ?? 30) * 1_000;
    this.#client ??= createClient(url, { token, reconnect: false, timeout_ms });
    return this.#client;
  }

  /** Client for methods that are named by the caller. */
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
    printTo(this.io.stdout, text);
  }

  /** Prints a long text: waits while the reader has not taken what was printed before. */
  async printOn(text: string): Promise<void> {
    const { stdout } = this.io;
    if (!printTo(stdout, text)) await once(stdout, 'drain');
  }

  /** Prints a text that is no result to standard error: standard output is read by programs. */
  printError(text: string): void {
    printTo(this.io.stderr, text);
  }

  /** A value for `--json`: one line, so that a stream of them can be read. */
  printJson(value: unknown): void {
    this.print(`${jsonOf(value) ?? 'null'}\n`);
  }

  close(): void {
    this.#client?.close();
  }
}

/** JSON text; integers beyond 2^53 are strings. `indent`: for people. */
export const jsonOf = (value: unknown, indent = 0): string | undefined =>
  JSON.stringify(
    value,
    (_key, member) => (typeof member === 'bigint' ? String(member) : member),
    indent,
  );
