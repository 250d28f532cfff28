import type { Static, TSchema } from 'typebox';

declare const typeOf: unique symbol;

/** Typed reference to what one plugin offers to others. Value and type share one name. */
export interface Service<T> {
  readonly service: string;
  readonly [typeOf]?: T;
}

/** `export const KvStore = service<KvStore>('kv');` */
export const service = <T>(name: string): Service<T> => ({ service: name });

/** A fact in the past tense, delivered after commit; listeners are isolated from each other. */
export interface Event<S extends TSchema> {
  readonly event: string;
  readonly payload: S;
  readonly [typeOf]?: Static<S>;
}

/** `export const AgentSeen = event('agent.seen', Type.Object({ … }));` */
export const event = <S extends TSchema>(name: string, payload: S): Event<S> => ({
  event: name,
  payload,
});
