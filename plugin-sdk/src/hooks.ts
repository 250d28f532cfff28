import type { ParseArgsConfig } from 'node:util';
import type { BusRequest, RemoteBus } from './bus.ts';
import type { ConfigWarning } from './configuration-file.ts';
import type { DatabaseHandle, DatabaseRequest } from './database.ts';
import type { RpcError } from './errors.ts';
import type { Connection, Exchange, Receipt, Routes, Upgrade } from './http.ts';
import type { Methods, Params } from './method.ts';
import type { Migrations } from './migration.ts';
import type { Kernel } from './plugin.ts';
import type { Principal, Requirement } from './principal.ts';

/** Where a credential came from; failed logins are throttled per key and address. */
export interface Origin {
  readonly address: string;
  readonly transport: 'ws' | 'http' | 'internal';
  /** That the credential came over: a valid one vouches for it. */
  readonly connection?: Connection | undefined;
}

/** A JSON-RPC message before it is parsed. */
export interface Incoming {
  readonly bytes: Buffer;
  readonly origin: Origin;
  /** Name of a method's credential parameter; undefined for a public one. @throws RpcError -32601 when there is no such method */
  credentialOf(method: string): string | undefined;
  /** Parameters of a method, without the credential; undefined when there is no such method. */
  paramsOf(method: string): Params | undefined;
  /** @throws RpcError as a call of the method with this credential would */
  authenticate(method: string, credential: string): Promise<void>;
  /** What is wrong with `params` that hold this JSON text, beyond its syntax. */
  faultOf(text: string): Fault | undefined;
}

export type Fault = 'half pair' | 'infinity';

/** A message that was let in. */
export interface Reading {
  /** What it holds; absent: it may be parsed at once. Empty and no batch: it is no JSON-RPC. */
  readonly entries?: readonly ReadEntry[];
  readonly isBatch?: boolean;
  /** To be called when the message is answered. */
  release(): void;
}

/** One entry of a batch, or the message itself. */
export interface ReadEntry {
  /** Of the object; absent: the entry is none. */
  readonly members?: readonly ReadPart[];
  /** Members or elements of `params`, without their values. */
  readonly params?: readonly ReadPart[];
  /** The credential that authenticated before the entry was parsed. */
  readonly credential?: string;
  /** An error is the answer to the call. */
  readonly fault?: Fault | RpcError | undefined;
}

/** A member, or an element (without a name). */
export interface ReadPart {
  readonly name: string;
  /** The JSON text of the value. */
  text(): string;
  readonly value?: unknown;
}

/** One call on its way, for observers. */
export interface Call {
  readonly method: string;
  readonly transport: 'ws' | 'http' | 'internal';
  readonly caller: Principal;
  /** Of the sender; empty for calls of this process. */
  readonly address: string;
  /** As they were sent, the credential included. */
  readonly params: unknown;
  /** What the method's `audit` says of the call; undefined: it states none, or they do not fit. */
  readonly target: (() => string | undefined) | undefined;
}

/** Takes what begins a message in its turn; undefined: the message need not wait. */
export type Wait = ((start: () => void) => void) | undefined;

export interface Outcome {
  /** undefined: success. */
  readonly error: RpcError | undefined;
  /** `performance.now()` when the call came: looking at the clock once more is left to those who want the time it took. */
  readonly started: number;
}

export interface Listening {
  /** `http://127.0.0.1:2211` */
  readonly url: string;
  readonly unixSocket: string | undefined;
}

/** A reload that is in force. */
export interface Reload {
  /** Keys whose new value needs a restart. */
  readonly needRestart: readonly string[];
}

/** A subcommand of the command line: `<word>-server <name> -c FILE`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Names of the words that follow the command, for example `'FILE'`; without it none may follow. */
  readonly words?: string;
  /** Its own options, in the form of `util.parseArgs`. `config`, `dir` and `help` are those of the program. */
  readonly options?: { readonly [name: string]: CommandOption };
  /** True: `run` finds the database as it is, which may be empty or of another version; the hook `prepare` is not called. */
  readonly bare?: boolean;
  /** The database is open, and migrated unless `bare`; nothing listens. @returns the exit code; nothing: 0 */
  run(
    kernel: Kernel<unknown>,
    terminal: CommandTerminal,
    args: CommandArguments,
  ): Promise<number | undefined> | Promise<void>;
}

export type CommandOption = NonNullable<ParseArgsConfig['options']>[string] & {
  /** What it does, for the help. */
  readonly description?: string;
  /** What its value is called there. Default: the name in capitals. */
  readonly value?: string;
};

export interface CommandArguments {
  readonly words: readonly string[];
  /** By the names of the options; those that were not given are absent. */
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
}

export interface CommandTerminal {
  print(line: string): void;
  /** Tells how far the work is, on standard error; on a terminal what comes next takes the line's place, unless it ends with a line end. */
  progress(line: string): void;
  /** The next line of standard input; undefined at its end. */
  ask(prompt: string): Promise<string | undefined>;
}

export interface Commands {
  add(command: Command): void;
}

/** The order in which bail hooks are asked. */
export const EARLY = -100;
export const LATE = 100;
export const LAST = 1000;

/** Taps carry the plugin's name by themselves; `stage` orders taps of one hook (`EARLY`, 0, `LATE`, `LAST`). */
export interface Taps<Args extends readonly unknown[], Result = void> {
  tap(run: (...args: Args) => Result, options?: { readonly stage?: number }): void;
}

/** As `Taps`; the tap may be asynchronous. */
export interface AsyncTaps<Args extends readonly unknown[], Result = void> {
  tap(
    run: (...args: Args) => Result | Promise<Result>,
    options?: { readonly stage?: number },
  ): void;
}

/** What a plugin taps, in `setup`. Registration hooks run once, after every `setup`. tapable runs them. */
export interface Hooks {
  /** Series; after every setup, once: adds methods and subscriptions. */
  readonly methods: Taps<[Methods]>;
  /** Series; after every setup, once: adds HTTP routes. */
  readonly routes: Taps<[Routes]>;
  /** Series; after every setup, once: adds steps of the schema, behind those of the definition. */
  readonly migrations: Taps<[Migrations]>;
  /** Bail; asked once, after the setup of the plugins that drive a database: opens it, or leaves it to another driver. */
  readonly database: AsyncTaps<[DatabaseRequest], DatabaseHandle | undefined>;
  /** Series; after every setup, once: adds commands to the command line. */
  readonly commands: Taps<[Commands]>;
  /** Bail; after migrations, in `serve` only: joins this server with others. No answer: this server is alone. */
  readonly bus: AsyncTaps<[BusRequest], RemoteBus | undefined>;
  /** Series; after migrations, in `serve`, `init` and commands: first rows, caches. */
  readonly prepare: AsyncTaps<[]>;
  /** Series; in `serve`, before listening: resume work. */
  readonly start: AsyncTaps<[]>;
  /** Series; in `serve`, when the server listens. */
  readonly ready: AsyncTaps<[Listening]>;
  /** Series; after a new configuration is in force. */
  readonly reload: AsyncTaps<[Reload]>;
  /** Series; asked by `svc-server_config_warnings`: plugins push what an operator should know of the settings. */
  readonly warnings: AsyncTaps<[ConfigWarning[]]>;
  /** Series; listeners are closed and calls drained, the database is still open. The argument is the reason. */
  readonly stop: AsyncTaps<[string]>;
  /** Bail; before a message of more than 8 KB is parsed. No answer: it is parsed at once. */
  readonly message: AsyncTaps<[Incoming], Reading | undefined>;
  /** Bail; credential → principal. No answer is 102 `Invalid credentials`. */
  readonly authenticate: AsyncTaps<[string, Origin], Principal | undefined>;
  /** Bail; no answer is deny. */
  readonly authorize: AsyncTaps<[Principal, Requirement], 'allow' | 'deny' | undefined>;
  /**
   * Bail; a message of so many bytes has come over a WebSocket. The tap calls what it is given when the message may
   * begin, in the order of the connection's messages. undefined: at once. Asked for each message: keep it short.
   */
  readonly turn: Taps<[Origin, number], Wait>;
  /** The caller is known and has the right. A tap throws `RpcError` to refuse the call all the same. */
  readonly admitted: Taps<[Call]>;
  /** After the answer is known, to calls from inside as well. Must not throw. */
  readonly settled: Taps<[Call, Outcome]>;
  /** Bail; a connection was accepted, nothing of it is read. `false`: it is closed. */
  readonly connection: Taps<[Connection], false | undefined>;
  /** Bail; the bytes that a body or message holds have changed. `false`: it is refused. */
  readonly receiving: Taps<[Receipt], false | undefined>;
  /** A credential was valid on a connection, for the first time or another one than before; the origin where it is known. */
  readonly vouched: Taps<[Connection, Principal, Origin | undefined]>;
  /** Bail; HTTP: routes first, then `LATE` (a root bucket), then `LAST` (JSON-RPC). `true`: answered. */
  readonly request: AsyncTaps<[Exchange], true | undefined>;
  /** Bail; WebSocket upgrades; `true`: taken. Unclaimed ones speak JSON-RPC. */
  readonly upgrade: AsyncTaps<[Upgrade], true | undefined>;
}
