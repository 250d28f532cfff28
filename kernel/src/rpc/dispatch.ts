import {
  type CallContext,
  type Logger,
  type Peer,
  type Principal,
  parseJson,
  RawJson,
  RpcError,
  stringifyJson,
} from '@svc/plugin-sdk';
import type { KernelHooks } from '../hooks.ts';
import { type Access, anonymous } from './access.ts';
import { Context, type Source } from './context.ts';
import {
  type Call,
  errorText,
  invalidRequest,
  type Message,
  PARSE_ERROR,
  readMessage,
} from './envelope.ts';
import { CallLog } from './log.ts';
import type { Registered, Registry } from './registry.ts';
import { asString, byteLength, joinTexts, type Text } from './text.ts';

/** An answer, and what may happen once it has been handed to the socket (a subscription's first items). */
export interface Answer {
  /** undefined: nothing to send (notifications). */
  readonly text: Text | undefined;
  readonly release?: (() => void) | undefined;
}

export interface Limits {
  maxResponseBytes: number;
}

const BATCH_LIMIT = 1000;
const nothing: Answer = { text: undefined };

/** The way of a call from text to text (design.md §3). Never rejects. */
export class Dispatcher {
  readonly #registry: Registry;
  readonly #access: Access;
  readonly #hooks: KernelHooks;
  readonly #log: Logger;
  readonly #calls: CallLog;
  readonly #limits: Limits;

  constructor(options: {
    registry: Registry;
    access: Access;
    hooks: KernelHooks;
    log: Logger;
    limits: Limits;
  }) {
    this.#registry = options.registry;
    this.#access = options.access;
    this.#hooks = options.hooks;
    this.#log = options.log.target('rpc');
    this.#calls = new CallLog(this.#log);
    this.#limits = options.limits;
  }

  async answer(text: string, source: Source): Promise<Answer> {
    const message = readMessage(text);
    return message.kind === 'batch'
      ? this.#batch(message.entries, source)
      : this.#single(message, source);
  }

  #single(message: Message, source: Source): Answer | Promise<Answer> {
    switch (message.kind) {
      case 'call':
        return this.#call(message, source);
      case 'invalid':
        return { text: invalidRequest(message.id) };
      case 'unparsable':
        return { text: PARSE_ERROR };
      default:
        return nothing;
    }
  }

  async #batch(entries: readonly Message[], source: Source): Promise<Answer> {
    if (entries.length > BATCH_LIMIT) {
      const data = `Exceeded max limit of ${BATCH_LIMIT} entries`;
      return { text: errorText('null', { code: -32600, message: 'Invalid request', data }) };
    }
    const texts: Text[] = [];
    const releases: (() => void)[] = [];
    const limit = this.#limits.maxResponseBytes;
    let bytes = 2;
    for (const entry of entries) {
      const { text, release } = await this.#single(entry, source);
      if (text === undefined) continue;
      if (release) releases.push(release);
      texts.push(text);
      bytes += byteLength(text) + 1;
      if (bytes > limit) {
        for (const each of releases) each();
        const data = `Exceeded max limit of ${limit}`;
        return {
          text: errorText('null', {
            code: -32011,
            message: 'The batch response was too large',
            data,
          }),
        };
      }
    }
    if (texts.length === 0) return nothing;
    const text = joinTexts([
      '[',
      ...texts.flatMap((item, at) => (at === 0 ? [item] : [',', item])),
      ']',
    ]);
    const release = () => {
      for (const each of releases) each();
    };
    return { text, release };
  }

  async #call(call: Call, source: Source): Promise<Answer> {
    const started = performance.now();
    const method = this.#registry.methods.get(call.method);
    let context: Context | undefined;
    try {
      if (!method) {
        if (this.#registry.unsubscribes.has(call.method)) return this.#unsubscribe(call, source);
        throw new RpcError(-32601, 'Method not found');
      }
      context = new Context(method.name, anonymous, source, this.#log);
      const params = method.binder.bind(call.params, call.paramsText);
      const credential = takeCredential(method, params);
      const answer = await this.#run(method, params, credential, context, call.id, source);
      this.#calls.completed(method, call.id, context.caller, started, answer.text);
      if (this.#hooks.settled.isUsed()) this.#settled(context, undefined, started);
      return answer;
    } catch (thrown) {
      const error = this.#failure(method, thrown);
      this.#calls.failed(call.method, method, call.id, context?.caller, started, error);
      if (context && this.#hooks.settled.isUsed()) this.#settled(context, error, started);
      return { text: errorText(call.id, error) };
    }
  }

  async #run(
    method: Registered,
    params: Record<string, unknown>,
    credential: string | undefined,
    context: Context,
    id: string,
    source: Source,
  ): Promise<Answer> {
    const input = method.prepare ? method.prepare(params) : params;
    if (credential !== undefined) {
      const admitted = this.#admit(method, input, credential, context, source);
      if (admitted) await admitted;
    }
    if (method.check) await method.check(input, context);
    if (this.#hooks.call.isUsed()) await this.#hooks.call.promise(context);
    if (method.open) return this.#subscribe(method, input, context, id, source);
    const result = await method.handle?.(input, context);
    return { text: this.#serialise(result, id) };
  }

  /** Synchronous as long as nobody has to wait: a cached credential of a caller with every right. */
  #admit(
    method: Registered,
    input: unknown,
    credential: string,
    context: Context,
    source: Source,
  ): void | Promise<void> {
    const { access } = method;
    const authorize = () => this.#access.authorize(method, input, context, credential, source);
    if (typeof access === 'object' && 'custom' in access) return authorize();
    const caller = this.#access.caller(method, credential, source);
    if (caller instanceof Promise) {
      return caller.then((found) => {
        context.caller = found;
        return authorize();
      });
    }
    context.caller = caller;
    return authorize();
  }

  async #subscribe(
    method: Registered,
    input: unknown,
    context: Context,
    id: string,
    { peer, subscriptions }: Source,
  ): Promise<Answer> {
    const { open } = method;
    if (!peer || !subscriptions || !open) throw new RpcError(-32603, 'Internal error');
    const opened = await subscriptions.open(method.notification, context.caller, (push) =>
      open(input, context as CallContext & { peer: Peer }, push),
    );
    return { text: `{"jsonrpc":"2.0","id":${id},"result":${opened.id}}`, release: opened.release };
  }

  /** Takes `[id]` or `{"subscription":id}`; anything else is `false`, not an error. */
  #unsubscribe({ id, params }: Call, { subscriptions }: Source): Answer {
    if (!subscriptions) throw new RpcError(-32603, 'Internal error');
    const named = (params as { subscription?: unknown } | null | undefined)?.subscription;
    const given = Array.isArray(params) ? (params.length === 1 ? params[0] : undefined) : named;
    const closed = typeof given === 'number' && subscriptions.close(given);
    return { text: `{"jsonrpc":"2.0","id":${id},"result":${closed}}` };
  }

  #serialise(result: unknown, id: string): Text {
    const head = `{"jsonrpc":"2.0","id":${id},"result":`;
    let body: Text;
    if (result instanceof RawJson) body = result.text;
    else {
      try {
        body = stringifyJson(result);
      } catch (cause) {
        throw new RpcError(-32603, 'Internal error', { cause });
      }
    }
    const text = joinTexts([head, body, '}']);
    const limit = this.#limits.maxResponseBytes;
    if (text.length * 3 > limit && byteLength(text) > limit) throw RpcError.responseTooBig(limit);
    return text;
  }

  /** In-process call with a known caller; `params` without the credential. @throws RpcError */
  async call(name: string, params: unknown, caller: Principal): Promise<unknown> {
    const method = this.#registry.methods.get(name);
    if (!method?.handle) throw new RpcError(-32601, 'Method not found');
    try {
      const bound = method.bareBinder.bind(params, '');
      const context = new Context(name, caller, INTERNAL, this.#log);
      const input = method.prepare ? method.prepare(bound) : bound;
      await this.#access.authorize(method, input, context, '');
      await method.check?.(input, context);
      if (this.#hooks.call.isUsed()) await this.#hooks.call.promise(context);
      const result = await method.handle(input, context);
      return result instanceof RawJson ? parseJson(asString(result.text)) : result;
    } catch (thrown) {
      throw this.#failure(method, thrown);
    }
  }

  /** A request object or batch of this process, credential included; the whole answer, undefined for notifications. */
  async internal(request: unknown): Promise<unknown> {
    const { text } = await this.answer(stringifyJson(request), INTERNAL);
    return text === undefined ? undefined : parseJson(asString(text));
  }

  #failure(method: Registered | undefined, thrown: unknown): RpcError {
    let error =
      thrown instanceof RpcError
        ? thrown
        : RpcError.other('Internal server error', { cause: thrown });
    if (this.#hooks.failure.isUsed()) error = this.#hooks.failure.call(error, thrown);
    if (error.cause !== undefined) {
      this.#log.error('call failed', {
        method: method?.name,
        code: error.code,
        error: error.cause,
      });
    }
    return method?.mapError && error.code > 0 ? method.mapError(error) : error;
  }

  #settled(context: Context, error: RpcError | undefined, started: number): void {
    const elapsed_us = Math.round((performance.now() - started) * 1000);
    try {
      this.#hooks.settled.call(context, { error, elapsed_us });
    } catch (failure) {
      this.#log.error('an observer of calls failed', { method: context.method, error: failure });
    }
  }
}

const INTERNAL: Source = { transport: 'internal', address: '', signal: anonymous.ended };

function takeCredential(method: Registered, params: Record<string, unknown>): string | undefined {
  const { credential } = method;
  if (credential === undefined) return undefined;
  const value = params[credential] as string;
  params[credential] = undefined;
  return value;
}
