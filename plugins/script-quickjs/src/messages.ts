/** Messages between the main thread and a script thread. */
import type { Call, LogLevel, Outcome, Script } from './api.ts';
import type { WasmModule } from './wasm.ts';

export interface RunMessage {
  readonly t: 'run';
  readonly context: number;
  readonly run: number;
  readonly call: Call;
  /** Number of a run that may have to wait for others: it is claimed before it begins. */
  readonly turn?: number;
}

export type ToThread =
  | { readonly t: 'load'; readonly context: number; readonly script: Script }
  | RunMessage
  | {
      readonly t: 'settle';
      readonly context: number;
      readonly id: number;
      readonly ok: boolean;
      /** JSON text: the value, or `[name, message, cause?]` of the error. */
      readonly text: string;
      readonly bytes?: Uint8Array | undefined;
      /** The bytes are this body: kept for the run, not given to the script. */
      readonly body?: number | undefined;
    }
  | { readonly t: 'drop'; readonly context: number };

/** The answer to one op of a script. */
export interface Answer {
  /** JSON text. */
  readonly text: string;
  /** Bytes of body `body`, which its thread keeps outside of the script's heap; without `body` they go to the script. */
  readonly bytes?: Uint8Array;
  readonly body?: number;
}

/** The end of a run; `lost`: the context is gone. */
export interface Over {
  readonly lost: boolean;
}

export type FromThread =
  | { readonly t: 'ready' }
  /** Compiled, or why not. */
  | { readonly t: 'loaded'; readonly context: number; readonly failure: string | null }
  /** The context was lost before the run began; the request's body comes back. */
  | {
      readonly t: 'gone';
      readonly context: number;
      readonly run: number;
      readonly body: Uint8Array | undefined;
    }
  /** `over`: nothing of this run is left, and no `quiet` follows. */
  | {
      readonly t: 'done';
      readonly context: number;
      readonly run: number;
      readonly outcome: Outcome;
      readonly over: Over | undefined;
    }
  /** End of all that this run left behind; `lost`: the context is gone. */
  | { readonly t: 'quiet'; readonly context: number; readonly run: number; readonly lost: boolean }
  | {
      readonly t: 'op';
      readonly context: number;
      readonly run: number;
      readonly id: number;
      readonly kind: string;
      readonly text: string;
      readonly bytes?: Uint8Array | undefined;
    }
  /** The body that an answer named is not held any more. */
  | {
      readonly t: 'released';
      readonly context: number;
      readonly run: number;
      readonly body: number;
    }
  | {
      readonly t: 'log';
      readonly context: number;
      readonly level: LogLevel;
      readonly namespace: string;
      readonly message: string;
    };

/** Given to a thread at its start. */
export interface ThreadData {
  readonly module: WasmModule;
  /** The owner's globals. */
  readonly globals: string;
  /** Memory in which the thread shows that it is alive. */
  readonly pulse: SharedArrayBuffer;
}
