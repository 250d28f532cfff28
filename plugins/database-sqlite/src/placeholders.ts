import type { ScriptStatement } from './split.ts';

/** A statement whose placeholders are `?1`, `?2`, …, and which of the call's values they stand for. */
export interface BoundStatement extends ScriptStatement {
  /** `sql` with the engine's own placeholders. */
  readonly numbered: string;
  /** `body` with the engine's own placeholders. */
  readonly numberedBody: string;
  /** The values' places in the call's list, from 0, in the order of `?1`, `?2`, …. */
  readonly values: readonly number[];
}

/**
 * Binds the placeholders of a text whose statements share one list of values (db.md §4.6): `?5` and `$5` are the fifth
 * value, `?` is the one after the highest that the text has used so far.
 * @throws Error for a placeholder with a name
 */
export function bindPlaces(statements: readonly ScriptStatement[]): BoundStatement[] {
  let highest = 0;
  return statements.map((statement) => {
    const { sql, body, places } = statement;
    // The engine would take `$2` for a name and give it the next free number, so every placeholder is written anew.
    const own = new Map<number, number>();
    let numbered = '';
    let from = 0;
    for (const { text, at } of places) {
      const number = text === '?' ? highest + 1 : numberOf(text);
      highest = Math.max(highest, number);
      if (!own.has(number)) own.set(number, own.size + 1);
      numbered += `${sql.slice(from, at)}?${own.get(number)}`;
      from = at + text.length;
    }
    const values = [...own.keys()].map((number) => number - 1);
    return {
      ...statement,
      numbered: numbered + sql.slice(from),
      numberedBody: numbered + body.slice(from),
      values,
    };
  });
}

function numberOf(place: string): number {
  if (!/^[?$]0*[1-9]\d*$/.test(place)) throw new Error(`unsupported placeholder ${place}`);
  return Number(place.slice(1));
}
