/**
 * Makes `instanceof` true also for instances that another copy of this package made: a plugin with its own copy throws
 * errors that the server still recognises. Subclasses keep the ordinary `instanceof`.
 */
export function sameInEveryCopy(own: { readonly prototype: object }, name: string): void {
  const mark = Symbol.for(`@svc/plugin-sdk/${name}`);
  Object.defineProperty(own.prototype, mark, { value: true });
  Object.defineProperty(own, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== own) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === 'object' && value !== null && mark in value;
    },
  });
}
