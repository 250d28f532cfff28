import { createHash, randomUUID } from 'node:crypto';

/** Name of the key among the sealed secrets of a heartbeat: people with `write` are shown it again. */
export const KEY_FIELD = 'key';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A key that another program made and that came with an import. */
const FOREIGN = /^[A-Za-z0-9_-]{10,64}$/;

export const isUuid = (text: string): boolean => UUID.test(text);

/** Makes a key, a random UUID: no one guesses one. */
export const newKey = (): string => randomUUID();

/** Returns the key as it is stored, UUIDs in lower case; undefined: the text is none. */
export function keyOf(text: string): string | undefined {
  if (isUuid(text)) return text.toLowerCase();
  return FOREIGN.test(text) ? text : undefined;
}

/** Returns what is looked up of a key that `keyOf` gave. A key is random, so its plain digest tells nothing. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Returns the address that a job calls; `base` is the path `/svc` under the server's address, without a slash at its end. */
export const keyUrl = (base: string, key: string): string => `${base}/ping/${key}`;

/** Returns the address of the form that answers JSON. */
export const pushUrl = (base: string, key: string): string => `${base}/push/${key}`;
