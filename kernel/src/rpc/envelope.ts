import { isUtf8 } from 'node:buffer';
import type { RpcError } from '@svc/plugin-sdk';
import { Cursor, parseJson, type Span } from '@svc/plugin-sdk/json';
import type { ReadEntry, Reading, ReadPart } from '@svc/plugin-sdk/kernel';
import type { Repeats } from './repeats.ts';

/** One incoming text (conventions.md §2.2). `id` is the source text, so 2^64-1 comes back unchanged. */
export type Message =
  | Call
  | { readonly kind: 'notification'; readonly method: string }
  | { readonly kind: 'invalid'; readonly id: string; readonly error?: RpcError }
  | { readonly kind: 'unparsable' }
  | { readonly kind: 'batch'; readonly entries: readonly Message[] };

export interface Call {
  readonly kind: 'call';
  readonly id: string;
  readonly method: string;
  readonly params: unknown;
  /** The text of `params`; empty when absent. */
  readonly paramsText: string;
  /** A long call was looked at before it was parsed; its `paramsText` is empty. */
  readonly read?: ReadEntry;
  /** The parameters passed their schemas before; `paramsText` is empty. */
  readonly isRepeated?: boolean;
}

/** Text of a message; bytes that are not UTF-8 become text that does not parse. */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes('\uFFFD') && !isUtf8(bytes) ? '' : text;
}

const unparsable: Message = { kind: 'unparsable' };
/** A text is read when it begins as an object or array, behind at most 127 bytes of white space. */
const BEGINNING = /^[ \t\n\r]{0,127}[{[]/;
export const beginsAsJson = (text: string): boolean => BEGINNING.test(text);

/** Classifies one text. `{}`, syntax errors and trailing text are -32700; the order of rules is that of conventions.md §2.2. */
export function readMessage(text: string, repeatsOf?: RepeatsOf): Message {
  return readUsualCall(text, repeatsOf) ?? readAny(text);
}

/** Earlier texts of a method that is asked the same again and again. */
export type RepeatsOf = (method: string) => Repeats | undefined;

/** One member of the envelope and its comma, as nearly every client writes it. */
const USUAL_MEMBER = /(?:"jsonrpc":"2\.0"|"id":(?:0|[1-9]\d{0,18}|"[^"\\]*")|"method":"[\w-]+"),/y;
const PARAMS_NAME = '"params":';

/**
 * A call whose envelope need not be searched for repeated members: three members in any order, then `params`; when the
 * text from there to the last brace is one JSON value, nothing can follow it.
 * @param onlyRepeated parameters that did not come before are not parsed
 * @returns undefined for any other text, a broken one included
 */
export function readUsualCall(
  text: string,
  repeatsOf?: RepeatsOf,
  onlyRepeated = false,
): Call | undefined {
  let id: string | undefined;
  let method: string | undefined;
  let versions = 0;
  let at = 1;
  for (let members = 0; members < 3; members++) {
    USUAL_MEMBER.lastIndex = at;
    // Unlike `exec` it makes no object.
    if (!USUAL_MEMBER.test(text)) return undefined;
    const end = USUAL_MEMBER.lastIndex - 1;
    if (text[at + 1] === 'i') id = text.slice(at + '"id":'.length, end);
    else if (text[at + 1] === 'm') method = text.slice(at + '"method":"'.length, end - 1);
    else versions++;
    at = end + 1;
  }
  // Three members have three different names here, so no name stands twice.
  if (id === undefined || method === undefined || versions !== 1) return undefined;
  if (text[0] !== '{' || !text.startsWith(PARAMS_NAME, at) || !text.endsWith('}')) return undefined;
  const paramsText = text.slice(at + PARAMS_NAME.length, -1);
  const params = repeatsOf?.(method)?.lookup(paramsText);
  if (params) return { kind: 'call', id, method, params, paramsText: '', isRepeated: true };
  if (onlyRepeated) return undefined;
  try {
    return { kind: 'call', id, method, params: parseJson(paramsText), paramsText };
  } catch {
    // Either members follow the parameters, or the text is no JSON: `readAny` finds out.
    return undefined;
  }
}

function readAny(text: string): Message {
  if (!beginsAsJson(text)) return unparsable;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // The sender's syntax error: the answer says so, and nothing is logged.
    return unparsable;
  }
  return Array.isArray(value) ? readBatch(text, value) : classify(partsOf(text), value as object);
}

function readBatch(text: string, values: readonly unknown[]): Message {
  if (values.length === 0) return { kind: 'invalid', id: 'null' };
  const cursor = new Cursor(text);
  const elements = cursor.list();
  const entries = values.map((value, index): Message => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) return { kind: 'invalid', id: 'null' };
    cursor.at = (elements[index] as Span).start;
    return asEntry(classify(partsAt(cursor), value));
  });
  return { kind: 'batch', entries };
}

/** Returns the members or elements of an object or list that has been parsed, repeated names included. */
export const partsOf = (text: string): readonly ReadPart[] => partsAt(new Cursor(text));

const partsAt = (cursor: Cursor): readonly ReadPart[] =>
  cursor.list().map((span) => ({ name: span.name, text: () => cursor.text(span) }));

function classify(parts: readonly ReadPart[], value: object): Message {
  const named = (name: string) => parts.filter((part) => part.name === name);
  const ids = named('id');
  const isRepeated = ['params', 'jsonrpc', 'method'].some((name) => named(name).length > 1);
  const { jsonrpc, method, params } = value as { [name: string]: unknown };
  const id = ids.length === 1 ? validId(ids[0]?.text() ?? '') : undefined;
  if (isRepeated || jsonrpc !== '2.0' || typeof method !== 'string')
    return id === undefined ? unparsable : { kind: 'invalid', id };
  if (id !== undefined)
    return { kind: 'call', id, method, params, paramsText: named('params')[0]?.text() ?? '' };
  return ids.length === 1 ? { kind: 'invalid', id: 'null' } : { kind: 'notification', method };
}

/** Classifies what was read of a long text, by the same rules. */
export function messageOf({ entries = [], isBatch }: Reading): Message {
  if (!isBatch) return entries[0] ? entryOf(entries[0]) : unparsable;
  if (entries.length === 0) return { kind: 'invalid', id: 'null' };
  return { kind: 'batch', entries: entries.map((entry) => asEntry(entryOf(entry))) };
}

function entryOf(read: ReadEntry): Message {
  const { members, fault } = read;
  if (!members) return { kind: 'invalid', id: 'null' };
  const value = Object.fromEntries(members.map((member) => [member.name, member.value]));
  const message = classify(members, value);
  if (typeof fault === 'object' && message.kind !== 'notification')
    return { kind: 'invalid', id: 'id' in message ? message.id : 'null', error: fault };
  return message.kind === 'call' ? { ...message, read } : message;
}

/** An entry of a batch that is no call gets an answer in its place. */
const asEntry = (entry: Message): Message =>
  entry.kind === 'unparsable' ? { kind: 'invalid', id: 'null' } : entry;

const LARGEST_ID = '18446744073709551615';

/** The text itself when it is null, a string or an unsigned 64-bit integer. */
function validId(text: string): string | undefined {
  if (text[0] === '"' || text === 'null') return text;
  if (!/^(?:0|[1-9]\d*)$/.test(text) || text.length > LARGEST_ID.length) return undefined;
  return text.length < LARGEST_ID.length || text <= LARGEST_ID ? text : undefined;
}
