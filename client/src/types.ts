import type { RpcError } from './errors.ts';

/** Parameters that a caller gives. The map holds no credential: the client fills in its own, where a call has none. */
type Given<P> = P extends unknown ? Omit<P, 'token'> & { token?: string } : never;

export type ParamsOf<M, K extends keyof M> = M[K] extends { params: infer P } ? Given<P> : never;
export type ResultOf<M, K extends keyof M> = M[K] extends { result: infer R } ? R : never;
export type ItemOf<S, K extends keyof S> = S[K] extends { item: infer I } ? I : never;
/** One row of a method that answers an array. */
export type RowOf<M, K extends keyof M> = ResultOf<M, K> extends readonly (infer R)[] ? R : never;

/** Arguments of a call: parameters may be left out when none is required. */
export type Arguments<P, O> =
  Record<never, never> extends P ? [params?: P, options?: O] : [params: P, options?: O];

export interface CallOptions {
  /** Ends the wait. A call that was sent is not taken back: the server may run it. */
  readonly signal?: AbortSignal;
  /** Deadline in ms instead of the client's; 0: none. */
  readonly timeout_ms?: number;
  /** Way of this call, instead of the client's choice. */
  readonly transport?: 'ws' | 'http';
}

export interface SubscribeOptions {
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
  /** Items kept for a slow reader, 1,000 by default. When one more comes, the oldest goes and `dropped` counts it. */
  readonly queue?: number;
  /** Method that ends the subscription, where it does not have the usual name. */
  readonly unsubscribe?: string;
}

/** `['kv_get_value', { namespace, key }]` */
export type BatchEntry<M> = {
  [K in keyof M]: readonly [method: K, ...params: Arguments<ParamsOf<M, K>, never>];
}[keyof M];

/** Results as from `Promise.allSettled`: `{ status: 'fulfilled', value }` or `{ status: 'rejected', reason }`, in order. */
export type BatchResults<M, T extends readonly unknown[]> = {
  -readonly [I in keyof T]: T[I] extends readonly [infer K extends keyof M, ...unknown[]]
    ? Settled<ResultOf<M, K>>
    : never;
};

export type Settled<T> =
  | { readonly status: 'fulfilled'; readonly value: T }
  | { readonly status: 'rejected'; readonly reason: RpcError };
