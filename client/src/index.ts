export type { Client } from './client.ts';
export { createClient } from './client.ts';
export { ConnectionError, RpcError } from './errors.ts';
export type { State } from './link.ts';
export type { Methods, Subscriptions } from './methods.ts';
export type { ClientOptions } from './options.ts';
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
