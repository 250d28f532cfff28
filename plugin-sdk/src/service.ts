declare const typeOf: unique symbol;

/** Typed reference to what one plugin offers to others. Value and type share one name. */
export interface Service<T> {
  readonly service: string;
  readonly [typeOf]?: T;
}

/** `export const KvStore = service<KvStore>('kv');` */
export const service = <T>(name: string): Service<T> => ({ service: name });
