import type { IncomingHttpHeaders } from 'node:http';
import { trim } from '../util/trim.ts';

/** The values that a request's conditions are compared with. */
export interface Validators {
  /** Strong tag with its quotes. */
  readonly etag: string;
  /** Unix ms; HTTP dates know whole seconds. */
  readonly mtime_ms: number;
  /** Tells that a weak tag never matches, not even in `If-None-Match`. */
  readonly strongOnly?: boolean;
}

export type Verdict = 'go on' | 'not modified' | 'failed';

const SECOND_MS = 1000;

/** Preconditions of GET and HEAD in the order of RFC 9110 §13.2.2. */
export function conditionsOf(headers: IncomingHttpHeaders, target: Validators): Verdict {
  const ifMatch = headers['if-match'];
  const unmodifiedSince = headers['if-unmodified-since'];
  if (ifMatch !== undefined) {
    if (!lists(ifMatch, target.etag, false)) return 'failed';
  } else if (unmodifiedSince !== undefined && isAfter(target, unmodifiedSince)) return 'failed';

  const ifNoneMatch = headers['if-none-match'];
  const modifiedSince = headers['if-modified-since'];
  if (ifNoneMatch !== undefined)
    return lists(ifNoneMatch, target.etag, !target.strongOnly) ? 'not modified' : 'go on';
  const date = modifiedSince === undefined ? undefined : httpDate(modifiedSince);
  return date === undefined || seconds(target) > date ? 'go on' : 'not modified';
}

/** Tells whether `If-Range` still names the current version (RFC 9110 §13.1.5). */
export function ifRangeHolds(field: string | undefined, target: Validators): boolean {
  if (field === undefined) return true;
  if (field.startsWith('"')) return trim(field) === target.etag;
  return httpDate(field) === seconds(target);
}

/** Tells whether a field is `*` or a list with this tag. A weak tag matches only with weak comparison. */
export function lists(field: string, etag: string, weak: boolean): boolean {
  if (trim(field) === '*') return true;
  return field.split(',').some((item) => {
    const tag = trim(item);
    return (weak && tag.startsWith('W/') ? tag.slice(2) : tag) === etag;
  });
}

/** Tells whether the target is newer than the date. A date that does not parse is ignored. */
const isAfter = (target: Validators, field: string): boolean => {
  const date = httpDate(field);
  return date !== undefined && seconds(target) > date;
};

const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** Unix seconds of one of the three forms of RFC 9110 §5.6.7; `Date.parse` also accepts other texts. */
function httpDate(field: string): number | undefined {
  const text = asctime.test(field) ? `${field} GMT` : field;
  if (!/^[A-Z][a-z]{2,8},? .{0,40}\d\d:\d\d:\d\d.{0,40} GMT$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms / SECOND_MS;
}

const seconds = ({ mtime_ms }: Validators): number => Math.floor(mtime_ms / SECOND_MS);
