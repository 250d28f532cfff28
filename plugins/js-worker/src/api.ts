import type { Readable } from 'node:stream';
import { service } from '@svc/plugin-sdk';
import type { LogLine } from './engine/log.ts';
import type { CallOrder, LoadOrder, Outcome } from './engine/messages.ts';

export type { CallOrder, LoadOrder, Mode, Outcome, ResponseBody } from './engine/messages.ts';

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

/** Runs scripts. Another engine is a plugin that provides this service. */
export interface ScriptEngine {
  /** Compiles without running anything. @throws Error whose message is the compiler's */
  load(order: LoadOrder): Promise<Sandbox>;
  /** As `load`, later: at the first call. */
  prepare(order: LoadOrder, options?: { readonly once?: boolean }): Sandbox;
  stop(): Promise<void>;
}

export const ScriptEngine = service<ScriptEngine>('js-worker.engine');

export interface EgressRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly redirect: 'follow' | 'manual' | 'error';
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export interface EgressResponse {
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded content; fails past the size limit. */
  readonly body: Readable;
}

/** The one door for requests that leave the server on behalf of somebody else: limits and address policy. */
export interface Egress {
  /** @throws TypeError `Failed to fetch` with the reason as `cause` */
  request(request: EgressRequest): Promise<EgressResponse>;
}

export const Egress = service<Egress>('js-worker.egress');
