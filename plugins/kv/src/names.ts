import { RpcError } from '@svc/plugin-sdk';

/** Bytes of a namespace, and of a key: both together stay below what an index entry of Postgres can hold. */
export const MAX_NAME_BYTES = 1024;

/** Settings of this namespace count for the whole server (kv.md §5.1). */
export const GLOBAL = 'global';

/** @throws RpcError 108 for a wildcard where one key is meant */
export function checkKey(key: string): void {
  if (key.includes('*')) throw RpcError.invalid("Key cannot contain '*' character");
}

const half = /\p{Surrogate}/u;

/** @throws RpcError -32602 for half a surrogate pair, which no database can hold */
export function checkText(name: string, text: string): void {
  if (half.test(text)) throw RpcError.params(`${name} holds half of a surrogate pair`);
}

/** @throws RpcError 108 for a name that is too long to be stored */
export function checkLength(name: string, text: string): void {
  // A character is at most three bytes, so most names need no counting.
  if (text.length * 3 <= MAX_NAME_BYTES || Buffer.byteLength(text) <= MAX_NAME_BYTES) return;
  throw RpcError.invalid(`${name} is longer than ${MAX_NAME_BYTES} bytes`);
}

/** Byte order, which is not the order of JavaScript's strings. */
export const compareBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));
