import { service } from '@svc/plugin-sdk';
import type { CallOrder, LoadOrder, Outcome } from './messages.ts';
import type { LogLine } from './thread/log.ts';

export type { CallOrder, LoadOrder, Mode, Outcome, ResponseBody } from './messages.ts';
export type { LogLine } from './thread/log.ts';

/** What a running script asks of the server: RPC, inline calls, fetch. Texts are JSON. */
export interface ScriptHost {
  /** @throws Error whose name, message and cause the script sees */
  answer(kind: string, text: string, bytes: Uint8Array | undefined): Promise<ScriptAnswer>;
  log(line: LogLine): void;
  /** False when nobody waits for the run any more: it need not begin. */
  isWanted?(): boolean;
  /** It has its place: nobody gives it up for waiting any more. */
  begun?(): void;
  /** A body that was kept outside of the script's heap is not kept any more. */
  released?(body: number): void;
  /** Nothing of the run is left: what it still had open is closed. */
  ended(): void;
}

export interface ScriptAnswer {
  /** JSON text. */
  readonly text: string;
  /** Bytes of body `body`, kept outside of the script's heap; without it they go to the script. */
  readonly bytes?: Uint8Array;
  readonly body?: number;
}

/** One script in an environment of its own. Calls of one sandbox never overlap. */
export interface Sandbox {
  /**
   * Runs a handler and resolves when it has settled, or at its limit. Work that it did not wait for goes on until
   * then. Never rejects: failures are outcomes.
   */
  call(order: CallOrder, host: ScriptHost): Promise<Outcome>;
  /** One more `call` without a body may be made now although one is under way: it begins when that one has settled. */
  readonly takesAhead?: boolean;
  /** Gives the environment up; a run under way is ended. */
  dispose(): void;
}

/** A bounded set of threads in which the scripts of one owner run. */
export interface Sandboxes {
  /** Compiles without running anything. @throws Error whose message is the compiler's */
  load(order: LoadOrder): Promise<Sandbox>;
  /** As `load`, later: at the first call. */
  prepare(order: LoadOrder, options?: { readonly once?: boolean }): Sandbox;
  /** Starts what the first script would have to wait for. */
  warm(): void;
  /** Gives up threads that are not needed. */
  rest(): void;
  /** Ends every run. Resolves when the threads have ended. */
  stop(): Promise<void>;
}

export interface SandboxOptions {
  /** Threads at most; each has one run at a time. */
  readonly threads: () => number;
}

/** Runs scripts in environments of their own. Another engine is a plugin that provides this service. */
export interface ScriptEngine {
  open(options: SandboxOptions): Sandboxes;
}

export const ScriptEngine = service<ScriptEngine>('script-engine');
