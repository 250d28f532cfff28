import type { Readable } from 'node:stream';
import type { ShareRules } from '@svc/fair-turns';
import { service } from '@svc/plugin-sdk';

/** Runs scripts in contexts of their own. Another engine is a plugin that provides this service. */
export interface ScriptEngine {
  /** Threads and contexts of one owner; they end with the server. */
  open(options: SandboxOptions): Sandboxes;
}

export const ScriptEngine = service<ScriptEngine>('script-engine');

export interface SandboxOptions {
  /** Threads at most, read anew whenever one is wanted. A thread has one run at a time. */
  readonly threads: () => number;
  /** More threads, one for each share that has no run; default: none. */
  readonly spare?: () => number;
  /** Weight and greatest part of each share. */
  readonly standing?: ShareRules['standing'];
  /**
   * JavaScript that gives every script its globals in addition to the Web APIs: a function expression, called before the
   * script is compiled with `{ define(name, value), ask(name, value), log(level, namespace, message) }`. `ask` calls a
   * host function and resolves to `{ value }`. It may give `{ contextOf }`, which makes a handler's third argument.
   */
  readonly globals: string;
}

/** Bounded threads of one owner, in which its scripts run. */
export interface Sandboxes {
  /** Compiles without running anything. @throws Error whose message is the compiler's */
  compile(script: Script): Promise<Sandbox>;
  /**
   * Compiles at the first call, which then fails with the compiler's text, or with the reason why the script cannot be read.
   * `once`: for one call.
   */
  prepare(script: Script | (() => Promise<Script>), options?: { readonly once?: boolean }): Sandbox;
  /** Starts the threads that the first script would wait for. */
  warm(): void;
  /** Ends threads that have been idle. */
  rest(): void;
  /** Ends every run. Resolves when the threads have ended. */
  stop(): Promise<void>;
}

/** Failure of a run whose context has as many waiting as it may have, or whose share has. */
export const QUEUE_FULL = 'Worker queue full, request rejected';
/** Failure of a run that has not begun within `wait_ms`. */
export const WAITED_TOO_LONG = 'Worker busy, request waited too long';

/** Module and the limits of its context. */
export interface Script {
  /** Text of an ES module. */
  readonly source: string;
  /** Name that stack frames show. */
  readonly file: string;
  /** Bytes. */
  readonly heap: number;
  /** Bytes. */
  readonly stack: number;
  /** The token for which it is compiled: tokens get threads in turns. */
  readonly share?: string;
}

/** Script in a context of its own. Its calls never overlap: one has a thread, at most 256 wait, in order. */
export interface Sandbox {
  /**
   * Calls a handler and resolves when it has settled, or at its limit. Work that it did not wait for goes on until
   * then. Never rejects: failures are outcomes.
   */
  run(call: Call, host: ScriptHost): Promise<Outcome>;
  /** Gives the context up when its calls are over. Those that wait run first, or end with the text `cancel`. */
  retire(cancel?: string): void;
  /** Gives the context up; a run under way is ended. */
  dispose(): void;
}

/**
 * Form of what the handler is given and gives. `json`: parameters in, JSON out. `request`: a `Request` in, a `Response` out.
 * `request-json`: the same, but the request is described by a caller.
 */
export type Mode = 'json' | 'request' | 'request-json';

/** One call of `script.default[handler](params, env, context)`. Texts are JSON. */
export interface Call {
  readonly handler: string;
  readonly mode: Mode;
  /** The parameters, or `{ url, method, headers, body }` of a request, where body 0 is `body` and null is none. */
  readonly params: string;
  readonly env: string;
  /** JSON value: the third argument, unless `contextOf` of the globals makes another of it. */
  readonly context: { readonly [member: string]: unknown };
  /** Runs above this one that wait for it; 0: none. Runs of a higher level get threads beyond the limit. */
  readonly level: number;
  /** The token that causes the run: tokens get threads in turns. */
  readonly share?: string;
  /** Responses may have `set-cookie`. */
  readonly cookies: boolean;
  /** ms from the start of the handler. */
  readonly limit_ms: number;
  /** Longest wait for a thread and for earlier calls, ms; default: no limit. */
  readonly wait_ms?: number | undefined;
  /** Has no effect that must be recorded: it may go to the thread of its context before its turn. */
  readonly ahead?: boolean;
  /** Body of the request, held outside of the script's heap. */
  readonly body?: Uint8Array | undefined;
}

/** Body of a response: text, bytes or none. */
export type ResponseBody = string | Uint8Array | null;

/** End of a run; `detail` is `[stage] text`, `late` says that the limit ended it. */
export type Outcome =
  | { readonly kind: 'json'; readonly text: string }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: ResponseBody;
    }
  | { readonly kind: 'failure'; readonly detail: string; readonly late: boolean };

/** Services of the owner for one run. */
export interface ScriptHost {
  /** Functions by the name that the globals ask for. */
  readonly functions: { readonly [name: string]: HostFunction };
  /** Performs `fetch` of the script. @throws TypeError with a `cause` that the script sees */
  fetch(request: FetchRequest): Promise<FetchResponse>;
  log(line: LogLine): void;
  /** Tells whether the answer would still reach a caller; otherwise the run need not begin. */
  isWanted?(): boolean;
  /** Returns why the run, which has waited for its thread, may not begin after all; undefined: it may. */
  refusal?(): string | undefined;
  /** Called when no earlier call of its context waits: it gets the next thread. */
  readonly admitted?: (() => void) | undefined;
  /** Called when nothing of the run is left: what it still had open is closed. */
  ended(): void;
}

/** A function that scripts reach through the owner's globals. */
export interface HostFunction {
  /** Calls of one run at a time; more wait in order. */
  readonly atOnce: number;
  /** Texts are JSON. A script can replace the built-ins behind its JSON: check the shape. @throws Error that the script sees with name, message and cause */
  answer(text: string): Promise<string>;
}

export interface FetchRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly redirect: 'follow' | 'manual' | 'error';
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export interface FetchResponse {
  readonly status: number;
  /** Address after redirects. */
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Readable;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** A line that a script has written, bounded in size and rate. */
export interface LogLine {
  readonly level: LogLevel;
  readonly namespace: string;
  readonly message: string;
}
