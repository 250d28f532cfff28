import { Caller } from './caller.ts';
import type { Methods, Subscriptions } from './methods.ts';
import type { ClientOptions } from './options.ts';
import type { Range } from './rows.ts';
import type { Subscription } from './subscription.ts';
import type {
  Arguments,
  BatchEntry,
  BatchResults,
  CallOptions,
  ItemOf,
  ParamsOf,
  ResultOf,
  RowOf,
  SubscribeOptions,
} from './types.ts';

/** Client of one server; `M` and `S` are the methods and streams that it offers, by default the methods of the built-in plugins. */
export interface Client<M, S> {
  /**
   * One call, with parameters by name.
   * @throws RpcError the server refused; ConnectionError no answer; a DOMException named `TimeoutError` after the deadline; the reason of the signal
   */
  call<K extends keyof M & string>(
    method: K,
    ...args: Arguments<ParamsOf<M, K>, CallOptions>
  ): Promise<ResultOf<M, K>>;
  /** Calls in one message, run in order by the server; at most 10,000. One that fails does not stop the others. */
  batch<const T extends readonly BatchEntry<M>[]>(
    entries: T,
    options?: CallOptions,
  ): Promise<BatchResults<M, T>>;
  /** Subscribes, again on each new connection. */
  subscribe<K extends keyof S & string>(
    method: K,
    ...args: Arguments<ParamsOf<S, K>, SubscribeOptions>
  ): Subscription<ItemOf<S, K>>;
  /**
   * Every row between two times of a query that takes conditions, page by page; one page is held at a time.
   * @throws what `call` throws; an Error when more rows have one and the same time than one answer holds, or more static reports match
   */
  rows<K extends keyof M & string>(
    method: K,
    params: ParamsOf<M, K>,
    range?: Range,
  ): AsyncGenerator<RowOf<M, K>, void>;
  /** Ends subscriptions and the connection. Calls that wait for an answer fail. */
  close(): void;
}

/** A client of the server at `url`: `https://host`, or with `wss:`, `http:`, `ws:`. Nothing connects before the first call. */
export function createClient<M = Methods, S = Subscriptions>(
  url: string | URL,
  options: ClientOptions = {},
): Client<M, S> {
  // The types come from the map; the code itself knows no method.
  return new Caller(url, options) as unknown as Client<M, S>;
}
