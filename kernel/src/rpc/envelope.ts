import { parseJson } from '@svc/plugin-sdk';
import { type Member, scanElements, scanMembers, skipSpace } from './scan.ts';

/** What one incoming text is (conventions.md §2.2). `id` is the source text, so 2^64-1 comes back unchanged. */
export type Message =
  | Call
  | { readonly kind: 'notification' }
  | { readonly kind: 'invalid'; readonly id: string }
  | { readonly kind: 'unparsable' }
  | { readonly kind: 'batch'; readonly entries: readonly Message[] };

export interface Call {
  readonly kind: 'call';
  readonly id: string;
  readonly method: string;
  readonly params: unknown;
  /** The text of `params`; empty when absent. */
  readonly paramsText: string;
}

const unparsable: Message = { kind: 'unparsable' };
const notification: Message = { kind: 'notification' };
/** Bytes of leading white space that are skipped. */
const LEADING_SPACE = 127;

/** Classifies one text. `{}`, syntax errors and trailing text are -32700; see the page for the order of rules. */
export function readMessage(text: string): Message {
  return readUsualCall(text) ?? readAny(text);
}

/** One member of the envelope and its comma, as nearly every client writes it. */
const USUAL_MEMBER = /(?:"jsonrpc":"2\.0"|"id":(0|[1-9]\d{0,18}|"[^"\\]*")|"method":"([\w-]+)"),/y;
const PARAMS_NAME = '"params":';

/**
 * A call whose envelope need not be searched for repeated members: three members in any order, then `params`; when the
 * text from there to the last brace is one JSON value, nothing can follow it.
 * @returns undefined for any other text, a broken one included
 */
function readUsualCall(text: string): Call | undefined {
  let id: string | undefined;
  let method: string | undefined;
  let versions = 0;
  let at = 1;
  for (let members = 0; members < 3; members++) {
    USUAL_MEMBER.lastIndex = at;
    const match = USUAL_MEMBER.exec(text);
    if (match === null) return undefined;
    if (match[1] !== undefined) id = match[1];
    else if (match[2] !== undefined) method = match[2];
    else versions++;
    at = USUAL_MEMBER.lastIndex;
  }
  // Three members with all three names: none stands twice.
  if (id === undefined || method === undefined || versions !== 1) return undefined;
  if (text[0] !== '{' || !text.startsWith(PARAMS_NAME, at) || !text.endsWith('}')) return undefined;
  const paramsText = text.slice(at + PARAMS_NAME.length, -1);
  try {
    return { kind: 'call', id, method, params: parseJson(paramsText), paramsText };
  } catch {
    // Members behind the parameters, or no JSON: the long way tells which.
    return undefined;
  }
}

function readAny(text: string): Message {
  const start = skipSpace(text, 0);
  const first = text[start];
  if (start > LEADING_SPACE || (first !== '{' && first !== '[')) return unparsable;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // A syntax error of the sender: the answer says so, there is nothing to log.
    return unparsable;
  }
  return first === '['
    ? readBatch(text, start, value as unknown[])
    : readObject(text, start, value as object);
}

function readBatch(text: string, start: number, values: readonly unknown[]): Message {
  if (values.length === 0) return { kind: 'invalid', id: 'null' };
  const elements = scanElements(text, start);
  const entries = values.map((value, index): Message => {
    const element = elements[index];
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || !element) return { kind: 'invalid', id: 'null' };
    const entry = readObject(text, element.start, value);
    return entry.kind === 'unparsable' ? { kind: 'invalid', id: 'null' } : entry;
  });
  return { kind: 'batch', entries };
}

function readObject(text: string, start: number, value: object): Message {
  const members = scanMembers(text, start);
  let id: Member | undefined;
  let params: Member | undefined;
  let ids = 0;
  let repeated = false;
  let seen = 0;
  for (const member of members) {
    const bit = BITS[member.name];
    if (bit === undefined) continue;
    if (bit === ID) {
      id = member;
      ids++;
      continue;
    }
    if (bit === PARAMS) params = member;
    if ((seen & bit) !== 0) repeated = true;
    seen |= bit;
  }
  const { jsonrpc, method } = value as { jsonrpc?: unknown; method?: unknown };
  const idText = id && ids === 1 ? validId(text.slice(id.start, id.end)) : undefined;
  if (repeated || jsonrpc !== '2.0' || typeof method !== 'string') {
    return idText === undefined ? unparsable : { kind: 'invalid', id: idText };
  }
  if (idText === undefined) return ids === 1 ? { kind: 'invalid', id: 'null' } : notification;
  return {
    kind: 'call',
    id: idText,
    method,
    params: (value as { params?: unknown }).params,
    paramsText: params ? text.slice(params.start, params.end) : '',
  };
}

const ID = 1;
const PARAMS = 8;
const BITS: { readonly [name: string]: number | undefined } = Object.assign(Object.create(null), {
  id: ID,
  jsonrpc: 2,
  method: 4,
  params: PARAMS,
});

const LARGEST_ID = '18446744073709551615';

/** The text itself when it is null, a string or an unsigned 64-bit integer. */
function validId(text: string): string | undefined {
  if (text[0] === '"' || text === 'null') return text;
  if (!/^(?:0|[1-9]\d*)$/.test(text)) return undefined;
  if (text.length < LARGEST_ID.length) return text;
  return text.length === LARGEST_ID.length && text <= LARGEST_ID ? text : undefined;
}

export const errorText = (
  id: string,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
): string => {
  const data = error.data === undefined ? '' : `,"data":${JSON.stringify(error.data)}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${error.code},"message":${JSON.stringify(error.message)}${data}}}`;
};

export const PARSE_ERROR = errorText('null', { code: -32700, message: 'Parse error' });
export const invalidRequest = (id: string) =>
  errorText(id, { code: -32600, message: 'Invalid request' });
