import { setImmediate as nextTurn } from 'node:timers/promises';
import { RpcError } from '@svc/plugin-sdk';
import { trim } from '@svc/plugin-sdk/util';

const LONGEST_ROUTE = 128;

/** The stored form of a name. @throws RpcError 108 when it is blank, or no database could hold it */
export function workerName(given: string, parameter = 'name'): string {
  const name = trim(given);
  if (name === '') throw RpcError.invalid(`${parameter} cannot be empty`);
  if (/[\0\p{Cs}]/u.test(name)) throw RpcError.invalid(`${parameter} cannot hold this character`);
  return name;
}

/** The stored form of a route name; null: no route (js-worker.md §2). @throws RpcError 108 */
export function routeName(given: string | null | undefined): string | null {
  if (given === null || given === undefined) return null;
  const route = trim(given);
  if (route === '') throw RpcError.invalid('route_name cannot be empty string');
  if (Buffer.byteLength(route) > LONGEST_ROUTE)
    throw RpcError.invalid('route_name too long (max 128 chars)');
  if (!/^[a-zA-Z0-9._-]+$/.test(route))
    throw RpcError.invalid('route_name can only contain [a-zA-Z0-9._-]');
  if (/^\.+$/.test(route)) throw RpcError.invalid("route_name cannot be '.' or '..'");
  return route;
}

/** The source text of a worker (js-worker.md §2). @throws RpcError 101, 108 */
export async function scriptOf(base64: string): Promise<string> {
  if (trim(base64) === '') throw RpcError.invalid('js_script_base64 cannot be empty');
  const bytes = fromBase64(base64);
  if (!bytes) throw RpcError.parse('Invalid js_script_base64: not standard base64 with padding');
  // Each look at a long text takes a turn of the event loop.
  await nextTurn();
  let script: string;
  try {
    script = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw RpcError.parse(`js_script_base64 is not valid UTF-8: ${(cause as Error).message}`);
  }
  await nextTurn();
  if (trim(script) === '') throw RpcError.invalid('Decoded js_script cannot be empty');
  return script;
}

/** Bytes of standard base64 with padding and nothing else; undefined for anything else. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // What has no meaning was passed over, and bits beyond the last byte may have been other than zero.
  return bytes.toString('base64') === text ? bytes : undefined;
}
