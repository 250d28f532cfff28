import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallContext, Logger, Principal } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import type { Peer } from '@svc/plugin-sdk/http';
import type { Text, Texts } from '@svc/plugin-sdk/json';
import { asString, byteLength, parseJson, RawJson, stringifyJson } from '@svc/plugin-sdk/json';
import { after, Committing, isTold, mark, markFor } from '@svc/plugin-sdk/util';
import type { Head } from '../head.ts';
import type { KernelHooks } from '../hooks.ts';
import type { Access } from './access.ts';
import { type Answer, answerArray, type Begun } from './batch.ts';
import { Context, type Source } from './context.ts';
import type { Call, Message } from './envelope.ts';
import { messageOf, readMessage, readUsualCall, textOf } from './envelope.ts';
import { errorText, invalidRequest, PARSE_ERROR, rpcErrorOf } from './errors.ts';
import { CallLog } from './log.ts';
import { reader } from './message-hook.ts';
import { anonymous } from './principals.ts';
import { type Registered, type Registry, takeCredential } from './registry.ts';
import { LONGEST } from './repeats.ts';

interface Options {
  readonly registry: Registry;
  readonly access: Access;
  readonly hooks: KernelHooks;
  readonly log: Logger;
  /** The head in force. */
  readonly head: () => Head;
}

/** Messages that are parsed without asking; none of them can nest or hold so much that it takes long. */
const SHORT_BYTES = 8 * 1024;
const nothing: Answer = { text: undefined };
const INTERNAL: Source = { transport: 'internal', address: '', signal: anonymous.ended };

/** The way of a call from text to text. Never rejects. */
export class Dispatcher {
  readonly #options: Options;
  readonly #calls: CallLog;
  readonly #read: ReturnType<typeof reader>;
  readonly #repeatsOf = (name: string) => this.#options.registry.methods.get(name)?.binder.repeats;

  constructor(options: Options) {
    const log = options.log.target('rpc');
    this.#options = { ...options, log };
    this.#calls = new CallLog(log);
    this.#read = reader(options, (...of) => this.#failure(...of));
  }

  /** The answer to what a socket read. A call that waits holds neither the bytes nor a refused call's parameters. */
  receive(bytes: Buffer, source: Source, onRead?: () => void): Answer | Promise<Answer> {
    mark();
    if (bytes.length <= SHORT_BYTES || !this.#options.hooks.message.isUsed()) {
      onRead?.();
      return this.#answer(readMessage(textOf(bytes), this.#repeatsOf), source);
    }
    const mayRepeat = bytes.length <= LONGEST;
    const call = mayRepeat ? readUsualCall(textOf(bytes), this.#repeatsOf, true) : undefined;
    return call ? this.#answer(call, source) : this.#receiveLong(bytes, source, onRead);
  }

  async #receiveLong(bytes: Buffer, source: Source, onRead?: () => void): Promise<Answer> {
    const reading = await this.#read(bytes, source).finally(onRead);
    mark();
    const message = reading?.entries ? messageOf(reading) : readMessage(textOf(bytes));
    // Parsing takes long enough for a turn of its own.
    const parsed = bytes.length > LONGEST ? nextTurn() : Promise.resolve();
    return parsed.then(() => this.#answer(message, source)).finally(reading?.release);
  }

  /** Calls a method in-process for a known caller; `params` without the credential. @throws RpcError */
  async call(name: string, params: unknown, caller: Principal): Promise<unknown> {
    const method = this.#options.registry.methods.get(name);
    if (!method?.definition.handle) throw new RpcError(-32601, 'Method not found');
    const context = new Context(name, INTERNAL, this.#options, method, caller);
    context.params = params;
    try {
      const input = await this.#admit(method, method.binder.bindOwn(params), context);
      const result = await method.definition.handle(input, context);
      context.result = result instanceof Committing ? await result.committed : result;
    } catch (thrown) {
      const error = this.#failure(method, thrown);
      this.#settled(context, error);
      throw error;
    }
    this.#settled(context);
    const { result } = context;
    return result instanceof RawJson ? parseJson(asString(result.text)) : result;
  }

  /** A request object or batch of this process, credential included; the whole answer, undefined for notifications. */
  async internal(request: unknown): Promise<unknown> {
    const { text } = await this.#answer(readMessage(stringifyJson(request)), INTERNAL);
    return text === undefined ? undefined : parseJson(asString(text));
  }

  #answer(message: Message, source: Source): Answer | Promise<Answer> {
    switch (message.kind) {
      case 'call':
        return this.#call(message, source);
      case 'batch':
        return this.#batch(message.entries, source);
      case 'invalid': {
        const { error, id } = message;
        return { text: error ? errorText(id, error) : invalidRequest(id) };
      }
      case 'unparsable':
        return { text: PARSE_ERROR };
      default:
        this.#calls.notified(message.method);
        return nothing;
    }
  }

  async #batch(entries: readonly Message[], source: Source): Promise<Answer> {
    const started = performance.now();
    const { jsonrpc_max_batch_entries: most, max_response_body_size: limit } = this.#options.head();
    const answer = await answerArray(entries, {
      ...{ most, limit },
      isGathered: (entry) => this.#isGathered(entry),
      begin: (entry) => this.#entry(entry, source),
    });
    this.#calls.batched(entries, started);
    return answer;
  }

  #isGathered(entry: Message): boolean {
    if (entry.kind !== 'call') return false;
    return this.#options.registry.methods.get(entry.method)?.definition.gathered === true;
  }

  #entry(entry: Message, source: Source): Begun | Promise<Begun> {
    return entry.kind === 'call' ? this.#begin(entry, source) : this.#answer(entry, source);
  }

  #call(call: Call, source: Source): Answer | Promise<Answer> {
    return after(this.#begin(call, source), (begun) =>
      begun instanceof Committing ? begun.committed : begun,
    );
  }

  /** The answer, or the commit that it waits for. */
  #begin(call: Call, source: Source): Begun | Promise<Begun> {
    const method = this.#options.registry.methods.get(call.method);
    // While it waits, nothing holds the text of the call.
    const context = new Context(method?.name ?? call.method, source, this.#options, method);
    if (method) markFor(method.name, context.started);
    context.id = call.id;
    context.params = call.params;
    const completed = (result: unknown) => this.#completed(context, result);
    const failed = (thrown: unknown) => this.#failed(context, thrown);
    const handled = (result: unknown): Begun =>
      result instanceof Committing ? result.map(completed, failed) : completed(result);
    try {
      if (!method) return this.#unsubscribe(call, source);
      return after(this.#run(method, call, context, source), handled, failed);
    } catch (thrown) {
      return failed(thrown);
    }
  }

  #completed(context: Context, result: unknown): Answer {
    try {
      context.result = result;
      const text = this.#serialise(result, context.id);
      markFor(context.method);
      this.#calls.completed(context, text);
      this.#settled(context);
      return { text, release: context.release };
    } catch (thrown) {
      return this.#failed(context, thrown);
    }
  }

  #failed(context: Context, thrown: unknown): Answer {
    if (context.registered) markFor(context.registered.name);
    const error = this.#failure(context.registered, thrown);
    this.#calls.failed(context, error);
    if (context.registered) this.#settled(context, error);
    return { text: errorText(context.id, error), after: context.after };
  }

  /** Returns what the handler gives; for a subscription its number. */
  #run(method: Registered, call: Call, context: Context, source: Source): unknown {
    const { binder, credential, definition } = method;
    const params = binder.bind(call);
    context.credential = takeCredential(method, params);
    if ((call.read?.credential ?? context.credential) !== context.credential)
      throw RpcError.denied('Invalid credentials');
    return after(this.#admit(method, params, context), (input) => {
      if (credential) binder.repeats?.store(call.paramsText, call.params, credential);
      if (definition.open) return this.#subscribe(method, input, context, source);
      return definition.handle?.(input, context);
    });
  }

  /** The steps from bound parameters to the input of the handler. The order is part of the contract. */
  #admit(method: Registered, params: Record<string, unknown>, context: Context): unknown {
    const { definition } = method;
    const { audit } = definition;
    if (audit) context.target = () => audit(params, context.result);
    const input = definition.prepare ? definition.prepare(params) : params;
    return after(this.#options.access.admit(method, input, context), () => {
      this.#options.hooks.admitted.call(context);
      return after(definition.check?.(input, context), () => input);
    });
  }

  async #subscribe(
    method: Registered,
    input: unknown,
    context: Context,
    { address, peer, subscriptions }: Source,
  ): Promise<number> {
    if (!peer || !subscriptions) throw new RpcError(-32603, 'Internal error');
    const hold = this.#options.access.holdStream(method, input, context);
    const opened = await subscriptions.open(method, hold, (push) =>
      method.definition.open?.(input, context as CallContext & { peer: Peer }, push),
    );
    // An agent subscribes again every minute.
    this.#options.log[opened.isRepeated ? 'debug' : 'info']('subscription accepted', {
      method: method.name,
      subscription: opened.id,
      address,
    });
    context.release = opened.release;
    return opened.id;
  }

  /** Takes `[id]` or `{"subscription":id}`; anything else is `false`, not an error. */
  #unsubscribe({ id, method, params }: Call, { subscriptions }: Source): Answer {
    const kind = this.#options.registry.unsubscribes.get(method);
    if (kind === undefined) throw new RpcError(-32601, 'Method not found');
    if (!subscriptions) throw new RpcError(-32603, 'Internal error');
    const named = (params as { subscription?: unknown } | null | undefined)?.subscription;
    const given = Array.isArray(params) ? (params.length === 1 ? params[0] : undefined) : named;
    const closed = typeof given === 'number' && subscriptions.close(given, kind);
    return { text: resultText(id, String(closed)) };
  }

  #serialise(result: unknown, id: string): Texts {
    const text = resultText(id, bodyOf(result));
    const limit = this.#options.head().max_response_body_size;
    const isShort = typeof text === 'string' && text.length * 3 <= limit;
    if (!isShort && byteLength(text) > limit) throw RpcError.responseTooBig(limit);
    return text;
  }

  #failure(method: Registered | undefined, thrown: unknown): RpcError {
    const error = rpcErrorOf(thrown);
    // A full disk and a database that is away have alarms of their own.
    if (error.cause !== undefined && !isTold(error)) this.#calls.broke(method?.name, error);
    const mapError = method?.definition.mapError;
    return mapError && error.code > 0 ? mapError(error) : error;
  }

  #settled(context: Context, error?: RpcError): void {
    if (!this.#options.hooks.settled.isUsed()) return;
    try {
      this.#options.hooks.settled.call(context, { error, started: context.started });
    } catch (failure) {
      const { method } = context;
      this.#options.log.error('an observer of calls failed', { method, error: failure });
    }
  }
}

function resultText(id: string, body: Text): Texts {
  const before = `{"jsonrpc":"2.0","id":${id},"result":`;
  return typeof body === 'string' ? `${before}${body}}` : [before, body, '}'];
}

function bodyOf(result: unknown): Text {
  if (result instanceof RawJson) return result.text;
  try {
    return stringifyJson(result);
  } catch (cause) {
    throw new RpcError(-32603, 'Internal error', { cause });
  }
}
