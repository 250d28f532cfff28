import type { Static, TObject } from 'typebox';
import type { Database, GuardedTables } from './database.ts';
import type { Finding } from './finding.ts';
import type { Hooks, Origin } from './hooks.ts';
import type { Logger } from './log.ts';
import type { RegisteredMethod } from './method.ts';
import type { Migration, MigrationStep } from './migration.ts';
import type {
  Hold,
  LivesOn,
  PermissionKind,
  Principal,
  Requirement,
  ScopeMatch,
} from './principal.ts';
import type { Service } from './service.ts';
import type { Messaging } from './topic.ts';

/** Brand-bearing identifiers, all from one record (configuration.md §10). */
export interface Brand {
  /** Namespace `<word>-server`, routes `/<word>/…`, KV marker, script globals. */
  readonly word: string;
  /** Outer tag of the server permission kind. */
  readonly permission: string;
  /** Hash prefix. */
  readonly salt: string;
  /** Human name on the HTML page and in texts. */
  readonly title: string;
  /** Request header that tells a worker the peer's address. */
  readonly peer_header: string;
  /** Rewrites a wire name written with the neutral word: `svc-server_hello`, `/svc/rpc`, `__svc_namespace_marker__`. */
  readonly rewrite: (text: string) => string;
}

/** Time, and timers that end with the plugin. Tests put a fake one here. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds for durations: they only grow, also when the machine's time is set back. */
  monotonic(): number;
  /** @returns cancels it */
  timeout(callback: () => void, delay_ms: number): () => void;
  interval(callback: () => void, period_ms: number): () => void;
}

/** Facts about the running server. */
export interface ServerState {
  /** Lower-case hyphenated. */
  readonly uuid: () => string;
  /** `X.Y.Z` */
  readonly version: string;
  readonly maxResponseBytes: () => number;
  readonly maxRequestBytes: () => number;
  /** JSON-RPC sockets and requests: how many there are, and how many may be. */
  readonly places: () => { readonly used: number; readonly limit: number };
}

/** Asks the `authenticate` and `authorize` hooks outside of a method call (routes, terminals). */
export interface Auth {
  /** @throws RpcError 101 malformed, 102 bad credential or throttled */
  authenticate(credential: string, origin: Origin): Promise<Principal>;
  allows(caller: Principal, requirement: Requirement): Promise<boolean>;
  /** For whatever goes on after its call: it has to end with `ended`. Subscriptions state `livesOn` and are held by the kernel. */
  hold(caller: Principal, livesOn: LivesOn): Hold;
  /** For plugins that tap `authorize`: the rights of callers with this `Principal.id` may have changed; undefined: of any. */
  changed(id?: string): void;
}

/** What a plugin acts through; everything made through it ends with it. */
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
  /** A service of a plugin listed under `requires`; available after every `setup`. @throws PluginError */
  use<T>(service: Service<T>): T;
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

/** One call of a method, or of a method of another plugin that prepares it, and its answer. */
export interface Example {
  readonly method: string;
  /** By name, without the credential. */
  readonly params: { readonly [name: string]: unknown };
  readonly result?: unknown;
  /** Of a subscription. */
  readonly item?: unknown;
  /** In place of a result: the call is refused. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** A plugin is data plus `setup`. */
export interface Plugin<C extends TObject = TObject, R extends TObject = TObject> {
  /** kebab-case, unique: configuration section, ledger name, log field. */
  readonly name: string;
  readonly version: string;
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
  /** Keys of `config` and `rootConfig` that a reload changes; the others need a restart and are reported. */
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
   * What `doctor` and `upgrade-check` tell of this plugin. Nothing is prepared or started, nothing may be changed; asked
   * only where every migration of the plugin was applied.
   */
  examine?(kernel: Kernel<Static<C>, Static<R>>): Promise<readonly Finding[]>;
  /** Taps hooks. Registration closes when it returns. */
  setup(kernel: Kernel<Static<C>, Static<R>>): void | Promise<void>;
}

/** Identity with inference: `kernel.config` is typed from `config`. */
export const definePlugin = <C extends TObject, R extends TObject>(
  plugin: Plugin<C, R>,
): Plugin<C, R> => plugin;
