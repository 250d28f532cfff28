export type { Client, ClientOptions } from './client.ts';
export { createClient } from './client.ts';
export { ConnectionError, RpcError } from './errors.ts';
export type { State } from './link.ts';
export type { Methods, Subscriptions } from './methods.ts';
export { isPaged, type Range } from './rows.ts';
export type { Subscription } from './subscription.ts';
export type {
  BatchEntry,
  BatchResults,
  CallOptions,
  ItemOf,
  ParamsOf,
  ResultOf,
  RowOf,
  SubscribeOptions,
} from './types.ts';
