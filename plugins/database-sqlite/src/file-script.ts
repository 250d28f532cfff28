import { type ScriptStatement, splitScript } from './split.ts';

/** Variables of one text; each takes memory before the engine can say that a number is too large. */
const MAX_VALUES = 1_000_000;

/**
 * Statements of a text for a file that is no part of the main database.
 * @throws Error for a placeholder with a name, for too many of them, and for statements that reach other files
 */
export function fileScript(sql: string): ScriptStatement[] {
  const statements = shareValues(splitScript(sql));
  for (const statement of statements) refuseForeignFiles(statement);
  return statements;
}

/** Nothing but the file itself may be reached: the driver has no authorizer, and these words only begin a statement. */
function refuseForeignFiles({ sql, word }: ScriptStatement): void {
  const foreign =
    word === 'attach' ||
    word === 'detach' ||
    (word === 'vacuum' && /into/i.test(sql)) ||
    (word === 'pragma' && /(?:temp|data)_store_directory/i.test(sql));
  if (foreign) throw new Error('not authorized');
}

/**
 * Places of the values for a text whose statements share one list: what has no name takes the next value of the
 * whole text, a number is a place from 1.
 */
function shareValues(statements: readonly ScriptStatement[]): ScriptStatement[] {
  let next = 0;
  return statements.map(({ sql, places, word }) => {
    const named: Record<string, number> = {};
    const numbers = new Set<string>();
    let highest = 0;
    for (const place of places) {
      const name = place.slice(1);
      if (place === '?') {
        highest++;
        continue;
      }
      if (!/^[?$]0*[1-9]\d*$/.test(place)) throw new Error(`unsupported placeholder ${place}`);
      named[name] = Number(name) - 1;
      if (place.startsWith('?')) highest = Math.max(highest, Number(name));
      else if (!numbers.has(place)) highest++;
      numbers.add(place.startsWith('?') ? `?${Number(name)}` : place);
    }
    // The engine numbers its variables; those that got no name, a gap before `?5` too, take values in order.
    const count = Math.max(0, highest - numbers.size);
    if (next + count > MAX_VALUES) throw new Error('too many SQL variables');
    const anonymous = Array.from({ length: count }, (_, index) => next + index);
    next += count;
    return { sql, places, word, named, anonymous, count: 0 };
  });
}
