import type { Static, TObject } from 'typebox';
import type { Auth } from './auth.ts';
import type { BusRequest, Messaging, RemoteBus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { CommandArguments, CommandOption, CommandTerminal } from './command.ts';
import type { ConfigWarning } from './configuration-file.ts';
import type { Finding } from './finding.ts';
import type {
  AsyncTaps,
  Call,
  Incoming,
  Listening,
  Outcome,
  Reading,
  Reload,
  Taps,
  Wait,
} from './hooks.ts';
import type { Connection, Exchange, Origin, Receipt, Routes, Upgrade } from './http/contract.ts';
import type { Logger } from './log.ts';
import type { Example, Methods, RegisteredMethod } from './method.ts';
import type { PermissionKind, Principal, Requirement, ScopeMatch } from './principal.ts';
import type { Brand, ServerState } from './server.ts';
import type { Service } from './service.ts';
import type { Database, DatabaseHandle, DatabaseRequest, GuardedTables } from './sql/database.ts';
import type { Migration, MigrationStep, Migrations } from './sql/migration.ts';

/** A subcommand of the command line: `<word>-server <name> -c FILE`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Names of the words that follow the command, for example `'FILE'`; without it none may follow. */
  readonly words?: string;
  /** Its own options, in the form of `util.parseArgs`. `config`, `dir` and `help` are those of the program. */
  readonly options?: { readonly [name: string]: CommandOption };
  /** Lets `run` find the database as it is, which may be empty or of another version; the hook `prepare` is not called. */
  readonly bare?: boolean;
  /** The database is open, and migrated unless `bare`; nothing listens. @returns the exit code; nothing: 0 */
  run(
    kernel: Kernel<unknown>,
    terminal: CommandTerminal,
    args: CommandArguments,
  ): Promise<number | undefined> | Promise<void>;
}

export interface Commands {
  add(command: Command): void;
}

/** Hooks that a plugin taps in `setup`. Registration hooks run once, after every `setup`. tapable runs them. */
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
  /** Series; after the answer is known, to calls from inside as well. Must not throw. */
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

/** Kernel that a plugin acts through; everything made through it ends with it. */
export interface Kernel<Config = unknown, Root = unknown> extends Messaging {
  /** The plugin's section, with defaults; the same object is updated by a reload. */
  readonly config: Config;
  /** The top-level keys claimed by `rootConfig`. */
  readonly root: Root;
  /** The main database; not in the `setup` of a plugin that drives one. */
  readonly db: Database;
  readonly log: Logger;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly brand: Brand;
  readonly server: ServerState;
  readonly auth: Auth;
  readonly hooks: Hooks;
  /** The definitions of the enabled plugins, in the order of their setup. */
  readonly plugins: readonly Plugin[];
  /** The methods of the enabled plugins by wire name; complete after every `setup`. */
  readonly methods: ReadonlyMap<string, RegisteredMethod>;
  /** The steps of the enabled plugins, in the order in which they run; complete after every `setup`. */
  readonly migrations: readonly MigrationStep[];
  /** Rights of the server itself, for in-process calls. */
  readonly system: Principal;
  provide<T>(service: Service<T>, value: T): void;
  /** A service that the plugin lists under `requires`, from `setup` on. @throws PluginError */
  use<T>(service: Service<T>): T;
  /** A service that the plugin lists under `optional`, from `setup` on; undefined where no plugin provides it. */
  useOptional<T>(service: Service<T>): T | undefined;
  /** Calls a method in-process with the rights of `caller`: same checks, same errors. `params` without the credential. */
  call(method: string, params: unknown, caller: Principal): Promise<unknown>;
  /** Runs one JSON-RPC request object or batch through the whole pipeline, credential included. */
  request(request: unknown): Promise<unknown>;
  /**
   * A repeated task that never overlaps itself and ends with the plugin; a failure is logged. Tasks of all plugins whose periods
   * are whole seconds share their wake-ups.
   */
  every(label: string, period_ms: number, task: () => void | Promise<void>): void;
  /** Runs at stop, in reverse order. */
  defer(label: string, undo: () => void | Promise<void>): void;
}

/** A plugin is data plus `setup`. */
export interface Plugin<C extends TObject = TObject, R extends TObject = TObject> {
  /** kebab-case, unique: configuration section, ledger name, log field. */
  readonly name: string;
  /**
   * Filled in by the program where the definition states none: the server's own for built-in plugins, else that of the nearest
   * `package.json`.
   */
  readonly version?: string;
  /** Method names must begin with one of these and `_`, or be one of these. Written with the neutral word. */
  readonly namespaces?: readonly string[];
  /** Target of its log records (svc-server.md §9.1); default: the name, for calls the namespace, with `_` for `-`. */
  readonly logTarget?: string;
  readonly requires?: readonly Service<unknown>[];
  readonly optional?: readonly Service<unknown>[];
  readonly provides?: readonly Service<unknown>[];
  /** Schemes of `database.database_url` that this plugin opens; it taps the hook `database` and is set up before the others. */
  readonly drives?: readonly string[];
  /**
   * Begins what the driver needs and what takes time, such as a thread, while the other plugins are loaded; the database
   * is not touched. Asked of built-in drivers only. @returns ends what the driver did not come to use
   */
  readonly ahead?: () => () => void;
  /** Built-in plugins that the program loads along where the configuration's list does not name them. */
  readonly brings?: readonly string[];
  /** Steps of the schema, in order: the short form of a tap of `migrations`. Of several plugins those of `requires` come first. */
  readonly migrations?: readonly Migration[];
  /** Its tables, and how SQL of callers without the Super Token is kept from each (`svc-server_exec_sql`). */
  readonly guards?: GuardedTables;
  /** Tables that no SQL of a caller changes, the Super Token's neither: what the server remembers of its callers. Counters are among them. */
  readonly seals?: readonly string[];
  /** Schema of the section `[name]`. */
  readonly config?: C;
  /** Top-level keys of configuration.md that are this plugin's business. */
  readonly rootConfig?: R;
  /**
   * Keys of `config` and `rootConfig` that a reload changes.
   * @deprecated mark each with `reload(…)` in its schema; the list goes with 0.12
   */
  readonly reloadable?: readonly string[];
  /** Permission kinds that the plugin asks for, with their words. The kind `svc` stands for the brand's own. */
  readonly permissions?: { readonly [kind: string]: PermissionKind };
  /** Scope tags that the plugin asks for. */
  readonly scopes?: { readonly [tag: string]: ScopeMatch };
  /**
   * Calls for the documentation, in an order in which they succeed on an empty server. A value that an answer shows stands
   * for the server's own in the calls behind it: a task id, a token key.
   */
  readonly examples?: readonly Example[];
  /** Lines `label: value` that the command `version` adds; works without a configuration. */
  readonly about?: (version: string) => Promise<{ readonly [label: string]: string }>;
  /**
   * Finds what `doctor` and `upgrade-check` report of this plugin. Nothing is prepared or started, nothing may be changed;
   * asked only where every migration of the plugin was applied.
   */
  examine?(kernel: Kernel<Static<C>, Static<R>>): Promise<readonly Finding[]>;
  /** Taps hooks. Registration closes when it returns. */
  setup(kernel: Kernel<Static<C>, Static<R>>): void | Promise<void>;
}

/** Identity with inference: `kernel.config` is typed from `config`. */
export const definePlugin = <C extends TObject, R extends TObject>(
  plugin: Plugin<C, R>,
): Plugin<C, R> => plugin;
