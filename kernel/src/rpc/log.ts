import type { Logger, RpcError } from '@svc/plugin-sdk';
import type { Texts } from '@svc/plugin-sdk/json';
import { asString, byteLength, piecesOf } from '@svc/plugin-sdk/json';
import { isTold } from '@svc/plugin-sdk/util';
import type { Context } from './context.ts';
import type { Message } from './envelope.ts';

const CUT = 1024;
const WINDOW_MS = 10_000;
const PER_WINDOW = 5;

/** Codes of failures that the input does not explain. */
const FAILURES: ReadonlySet<number> = new Set([103, 107, 999, -32603]);

/** Records of calls (svc-server.md §9.1): answers at DEBUG, times at TRACE, failures at ERROR and rate-limited. */
export class CallLog {
  readonly #log: Logger;
  readonly #failures = new Map<string, { until: number; count: number }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  completed(context: Context, text: Texts | undefined): void {
    const { id, started, registered } = context;
    if (!registered) return;
    const { name, definition, log: area } = registered;
    const showsAnswers = this.#log.enabled('debug');
    if (!showsAnswers && !area.enabled('debug')) return;
    const elapsed_us = since(started);
    context.log.debug('called', { method: name, elapsed_us });
    if (!showsAnswers) return;
    const log = this.#log.span(context.span);
    log.debug('request completed', { response: definition.secret ? '***' : shorten(text) });
    log.trace('rpc.call completed', { rpc_kind: 'call', method: name, elapsed_us, id });
  }

  /** A notification, which does nothing. */
  notified(method: string): void {
    this.#log.trace('rpc.notification completed', { rpc_kind: 'notification', method });
  }

  batched(entries: readonly Message[], started: number): void {
    if (!this.#log.enabled('trace')) return;
    const methods = entries.map((entry) => ('method' in entry ? entry.method : '')).join();
    const size = entries.length;
    const elapsed_us = since(started);
    this.#log.trace('rpc.batch completed', { rpc_kind: 'batch', methods, size, elapsed_us });
  }

  failed(context: Context, error: RpcError): void {
    const { id, started, registered: method } = context;
    const { code, message } = error;
    if (isTold(error) || method?.definition.logsRefusals || !this.#log.enabled('error')) return;
    const shown = method?.name ?? 'unknown method';
    const repeated = this.#count(`${shown} ${code}`);
    if (repeated === undefined) return;
    this.#log.span(method ? context.span : { name: shown }).error('request failed', {
      method: context.method.slice(0, 100),
      code,
      message,
      elapsed_us: since(started),
      id,
      ...times(repeated),
    });
  }

  /** The cause of a failure. The stack of a refused input would tell the operator nothing. */
  broke(method: string | undefined, { code, message, cause }: RpcError): void {
    const repeated = this.#count(`${method} ${code} broke`);
    const error = FAILURES.has(code) ? cause : message;
    if (repeated !== undefined)
      this.#log.error('call failed', { method, code, error, ...times(repeated) });
  }

  /**
   * Refused agents reconnect without a pause, a thousand times a second, so equal failures are counted.
   * @returns failures that were left out before; undefined: leave this one out, too
   */
  #count(key: string): number | undefined {
    const now = Date.now();
    const window = this.#failures.get(key);
    if (!window || window.until < now) {
      // Keys are method names and codes, so the map is bounded by the registry.
      this.#failures.set(key, { until: now + WINDOW_MS, count: 1 });
      return window && window.count > PER_WINDOW ? window.count - PER_WINDOW : 0;
    }
    window.count++;
    return window.count <= PER_WINDOW ? 0 : undefined;
  }
}

const times = (repeated: number) => (repeated > 0 ? { repeated } : {});
const since = (started: number) => String(Math.round((performance.now() - started) * 1000));

const SECRETS = /"(secret|password|token|key)":"(?:[^"\\]|\\.)*"/g;

function shorten(text: Texts = ''): string {
  const whole = byteLength(text);
  const start = asString(piecesOf(text).map((piece) => piece.slice(0, CUT)));
  const masked = start.slice(0, CUT).replace(SECRETS, '"$1":"***"');
  return whole > CUT ? `${masked}[...${whole} bytes total]` : masked;
}
