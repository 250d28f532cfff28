import { type Brand, type Finding, finding } from '@svc/plugin-sdk';

const NEUTRAL_WORD = 'svc';

/** Clients that were built for another brand may send `/index.html`, which the rule of paths refuses (static-bucket.md §2). */
export function examineSlash({ word }: Brand, leadingSlash: string | undefined): Finding[] {
  if (word === NEUTRAL_WORD || leadingSlash !== undefined) return [];
  const message =
    'static-bucket-file_* refuse a path that begins with a slash (108), and clients of another brand may send one.';
  const advice =
    'Write leading_slash = "strip" into [static-bucket-file] to drop the slash, or "reject" to keep the rule.';
  return [finding('configuration', 'advice', message, advice)];
}
