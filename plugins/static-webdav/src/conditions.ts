import type { Stats } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './answers.ts';
import { etagOf } from './etags.ts';

const SECOND_MS = 1000;

/**
 * Checks the preconditions of a request that changes something (RFC 9110 §13.2.2, static-http.md §B3). For GET and HEAD
 * the file server does that. @throws Refusal 412
 */
export function checkConditions(headers: IncomingHttpHeaders, stat: Stats | undefined): void {
  const ifMatch = headers['if-match'];
  const unmodified = headers['if-unmodified-since'];
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, stat)) throw new Refusal(412);
  } else if (unmodified !== undefined && isAfter(stat, unmodified)) throw new Refusal(412);
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, stat)) throw new Refusal(412);
}

/** Tells whether the field names the current version. `*` matches anything that exists; a weak tag never matches. */
const matches = (field: string, stat: Stats | undefined): boolean =>
  stat !== undefined &&
  (field.trim() === '*' || field.split(',').some((tag) => tag.trim() === etagOf(stat)));

/** Tells whether the resource is newer than the date, or missing. A date that does not parse is ignored. */
function isAfter(stat: Stats | undefined, field: string): boolean {
  const date = / GMT$/.test(field) ? Date.parse(field) : Number.NaN;
  if (Number.isNaN(date)) return false;
  return stat === undefined || Math.floor(stat.mtimeMs / SECOND_MS) > date / SECOND_MS;
}
