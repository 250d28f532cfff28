import { clean } from '../words/clean.ts';
import type { Answer, AnswerHeaders } from './types.ts';

const MOST_SAID = 200;
const MOST_WAIT_MS = 3_600_000;

export type Json = Readonly<Record<string, unknown>>;

/** Failures of one receiver: a part of its text in lower case, and what people do about it. */
export type Hints = readonly (readonly [part: string, hint: string])[];

/** Value of a header, whatever form the headers have. */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers);
  return pairs.find(([one]) => String(one).toLowerCase() === name)?.[1] as string | undefined;
}

/** Returns the object that the text is; empty where it is none. */
export function jsonOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    // Receivers, and proxies before them, answer with plain text and pages, too: these are shown as text.
    return {};
  }
}

/** Wait that `Retry-After` asks for, ms: seconds, or a date. */
function retryAfter(headers: AnswerHeaders): number | undefined {
  const value = headerOf(headers, 'retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  if (Number.isNaN(date)) return undefined;
  const sent = Date.parse(headerOf(headers, 'date') ?? '');
  return Math.max(0, date - (Number.isNaN(sent) ? Date.now() : sent));
}

/** A failure that may pass, with the wait that was asked for. */
export function retry(text: string, after: number | undefined): Answer {
  if (after === undefined) return { retry: text };
  return { retry: text, after_ms: Math.ceil(Math.min(after, MOST_WAIT_MS)) };
}

/** Sentence for people: who says what, and what to do about it. */
export function says(title: string, said: string, hints: Hints = []): string {
  const short = clean(said).replaceAll('\n', ' ').trim().slice(0, MOST_SAID);
  const low = short.toLowerCase();
  const hint = hints.find(([part]) => low.includes(part))?.[1];
  return `${title} says: ${short === '' ? 'nothing' : short}${hint === undefined ? '' : ` — ${hint}`}`;
}

const BY_STATUS: { readonly [status: number]: string } = {
  400: 'it does not understand the message: check the fields of the channel',
  401: 'it refuses the key or password: write it again',
  403: 'the key may not do this: check its rights',
  404: 'it knows no such address: check the address and the key in it',
  410: 'the address was withdrawn: make a new one there',
  413: 'the message is too long for it',
};

export interface Reading {
  readonly title: string;
  readonly hints?: Hints;
  /** Failure that the body tells of in spite of a good status; undefined: there is none. */
  readonly fault?: (body: Json, text: string) => string | undefined;
  /** Texts of failures that pass by themselves, in lower case. */
  readonly passing?: readonly string[];
  /** Text of a bad answer. */
  readonly said?: (body: Json) => unknown;
  /** Wait that the body asks for, ms. */
  readonly wait?: (body: Json) => number | undefined;
  /** Id under which the receiver keeps the message. */
  readonly id?: (body: Json) => unknown;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
/** Number of a body in ms; undefined: there is none. */
export const waitOf = (value: unknown, unit_ms: number): number | undefined =>
  isNumber(value) ? value * unit_ms : undefined;

/** Failure that a body tells of by `errcode` and `errmsg`. */
export const errcodeFault = ({ errcode, errmsg }: Json): string | undefined =>
  errcode === 0 ? undefined : `${errmsg ?? 'no errcode 0'} (${errcode})`;

/** Makes the function that reads a receiver's answers. */
export const reading =
  (how: Reading) =>
  (status: number, headers: AnswerHeaders, text: string): Answer => {
    const body = jsonOf(text);
    if (status >= 200 && status < 300) return good(how, body, text, headers);
    if (status >= 300 && status < 400)
      return {
        permanent: `${how.title} sends the request on to another address (${status}): write that address into the channel`,
      };
    const said = String(how.said?.(body) ?? '') || text;
    const words = says(how.title, said === '' ? `status ${status}` : said, how.hints);
    if (status === 408 || status === 425 || status === 429 || status >= 500)
      return retry(words, waitAfter(how, body, headers));
    const help = words.includes(' — ') ? undefined : BY_STATUS[status];
    return { permanent: help === undefined ? words : `${words} — ${help}` };
  };

/** Wait that the body asks for, else the headers. */
function waitAfter({ wait }: Reading, body: Json, headers: AnswerHeaders): number | undefined {
  const asked = wait?.(body) ?? 0;
  return asked > 0 ? asked : retryAfter(headers);
}

function good(how: Reading, body: Json, text: string, headers: AnswerHeaders): Answer {
  const fault = how.fault?.(body, text);
  if (fault !== undefined) {
    const words = says(how.title, fault, how.hints);
    const passes = how.passing?.some((part) => fault.toLowerCase().includes(part)) ?? false;
    return passes ? retry(words, waitAfter(how, body, headers)) : { permanent: words };
  }
  const id = how.id?.(body);
  return id === undefined || id === null || id === ''
    ? 'ok'
    : { remote_id: String(id).slice(0, 200) };
}
