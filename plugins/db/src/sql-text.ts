/** Characters of a text that are searched for words of writing, in 2 ms of the main thread; a longer text counts as one that writes. */
const MOST_SEARCHED = 1_000_000;

/** A text that surely only reads, and what it reads does not depend on what was done in the same connection. */
export const isRead = (sql: string): boolean =>
  sql.length <= MOST_SEARCHED && reading.has(firstWord(sql)) && !dependent.test(sql);

/** A text after which its connection may answer otherwise than a new one. */
export const leavesTraces = (sql: string): boolean => /\b(?:temp|temporary|pragma)\b/i.test(sql);

const reading = new Set(['select', 'values', 'with', 'explain']);
const blanks = /\s*/y;
const word = /[a-z]*/iy;

/** The word after blanks and comments. Not one pattern: nested repetition would take time beyond all bounds. */
function firstWord(sql: string): string {
  let at = 0;
  for (;;) {
    blanks.lastIndex = at;
    blanks.test(sql);
    at = blanks.lastIndex;
    const end = sql.startsWith('--', at) ? '\n' : sql.startsWith('/*', at) ? '*/' : undefined;
    if (end === undefined) break;
    const found = sql.indexOf(end, at + 2);
    if (found < 0) return '';
    at = found + end.length;
  }
  word.lastIndex = at;
  return word.exec(sql)?.[0].toLowerCase() ?? '';
}

const dependent =
  /\b(?:insert|update|delete|replace|create|drop|alter|reindex|analyze|vacuum|pragma|begin|commit|end|rollback|savepoint|release|temp|temporary|sqlite_temp_\w+|last_insert_rowid|changes|total_changes)\b/i;
