/** What crosses between the main thread and a script thread. */
import type { Level } from './thread/log.ts';
import type { WasmModule } from './wasm.ts';

/** What a context is made from. */
export interface LoadOrder {
  readonly script: string;
  /** Name that stack frames show. */
  readonly file: string;
  /** Bytes. */
  readonly heap: number;
  /** Bytes. */
  readonly stack: number;
}

/** `json`: parameters in, JSON out; `route`: an HTTP request; `route-json`: a description of one. */
export type Mode = 'json' | 'route' | 'route-json';

export interface CallOrder {
  readonly handler: string;
  readonly mode: Mode;
  /** Inline calls above this run; 0: somebody outside has started it. */
  readonly level: number;
  /** Its responses may have `set-cookie`. */
  readonly cookies: boolean;
  /** JSON text. */
  readonly params: string;
  /** JSON text. */
  readonly env: string;
  readonly ctx: {
    readonly runType: string;
    readonly workerName: string;
    readonly inlineCaller: string | null;
  };
  /** ms from the start of the handler. */
  readonly limit_ms: number;
  /** Body of the request, held outside of the script's heap. */
  readonly body?: Uint8Array | undefined;
}

/** Body of a response: text, bytes or none. */
export type ResponseBody = string | Uint8Array | null;

/** How a run ended; `detail` is `[stage] text` (js-worker.md §5.2). */
export type Outcome =
  | { readonly kind: 'json'; readonly text: string }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: ResponseBody;
    }
  | { readonly kind: 'failure'; readonly detail: string; readonly late: boolean };

export type ToThread =
  | { readonly t: 'load'; readonly box: number; readonly load: LoadOrder }
  | {
      readonly t: 'run';
      readonly box: number;
      readonly run: number;
      readonly call: CallOrder;
    }
  | {
      readonly t: 'settle';
      readonly box: number;
      readonly id: number;
      readonly ok: boolean;
      /** JSON text: the value, or `[name, message, cause?]` of the error. */
      readonly text: string;
      readonly bytes?: Uint8Array | undefined;
      /** The bytes are this body: kept for the run, not given to the script. */
      readonly body?: number | undefined;
    }
  | { readonly t: 'drop'; readonly box: number };

/** The end of a run; `lost`: the context is gone. */
export interface Over {
  readonly lost: boolean;
}

export type FromThread =
  | { readonly t: 'ready' }
  /** Compiled, or why not. */
  | { readonly t: 'loaded'; readonly box: number; readonly failure: string | null }
  /** The context was lost before the run began; the request's body comes back. */
  | {
      readonly t: 'gone';
      readonly box: number;
      readonly run: number;
      readonly body: Uint8Array | undefined;
    }
  /** `over`: nothing of this run is left, and no `quiet` follows. */
  | {
      readonly t: 'done';
      readonly box: number;
      readonly run: number;
      readonly outcome: Outcome;
      readonly over: Over | undefined;
    }
  /** Nothing of this run is left; `lost`: the context is gone. */
  | { readonly t: 'quiet'; readonly box: number; readonly run: number; readonly lost: boolean }
  | {
      readonly t: 'op';
      readonly box: number;
      readonly run: number;
      readonly id: number;
      readonly kind: string;
      readonly text: string;
      readonly bytes?: Uint8Array | undefined;
    }
  /** The body that an answer named is not held any more. */
  | { readonly t: 'released'; readonly box: number; readonly run: number; readonly body: number }
  | {
      readonly t: 'log';
      readonly box: number;
      readonly level: Level;
      readonly namespace: string;
      readonly message: string;
    };

/** Given to a thread at its start. */
export interface ThreadData {
  readonly module: WasmModule;
  readonly brand: string;
  /** Where it shows that it is alive. */
  readonly pulse: SharedArrayBuffer;
}
