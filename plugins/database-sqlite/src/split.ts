/** One statement of a script, with what it needs from the caller's values. */
export interface ScriptStatement {
  readonly sql: string;
  /** Places of the values for `?`, in order. */
  readonly anonymous: readonly number[];
  /** Places of the values for `?5`, `:name`, `@name`, `$name`, by the name the driver knows. */
  readonly named: Readonly<Record<string, number>>;
  /** Values this statement takes. */
  readonly count: number;
  /** Every placeholder as it is written, in order. */
  readonly places: readonly string[];
  /** The first word, lower case; the empty text when it begins with something else. */
  readonly word: string;
}

/**
 * Blanks and comments; texts and quoted names; `;`; placeholders; words; anything else, one character at a time.
 * A quote that is never closed takes the rest: looking for its end again and again would take the square of the time.
 * `''` in a text makes two texts side by side: repetition inside a repetition would overflow the matcher's stack.
 */
const token =
  /(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<quoted>'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$))|(?<end>;)|(?<place>\?\d*|[:@$](?:[\p{L}\p{N}_$]|::)+)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<other>[\s\S])/gsu;

/**
 * Splits SQL at the semicolons that end statements: not those in texts, quoted names, comments and trigger bodies.
 * Empty statements are left out.
 */
export function splitScript(sql: string): ScriptStatement[] {
  const statements: ScriptStatement[] = [];
  let from = 0;
  let trigger = new TriggerWatch();
  let places: string[] = [];
  let empty = true;
  let first = '';
  const finish = (to: number) => {
    if (!empty) {
      statements.push({ sql: sql.slice(from, to).trim(), places, word: first, ...assign(places) });
    }
    from = to;
    trigger = new TriggerWatch();
    places = [];
    empty = true;
  };
  for (const match of sql.matchAll(token)) {
    const { blank, end, place, word } = match.groups as Record<string, string | undefined>;
    if (blank !== undefined) continue;
    if (end === undefined) {
      if (empty) first = word?.toLowerCase() ?? '';
      empty = false;
    }
    if (place !== undefined) places.push(place);
    trigger.see(end ?? word?.toLowerCase() ?? '');
    if (end !== undefined && !trigger.inside) finish(match.index + 1);
  }
  finish(sql.length);
  return statements;
}

/** SQLite's own rule: the body of `CREATE [TEMP] TRIGGER` ends with `; END ;`. */
class TriggerWatch {
  #words = 0;
  #create = false;
  #body = false;
  #last = ['', ''];

  get inside(): boolean {
    return this.#body && !(this.#last[0] === ';' && this.#last[1] === 'end');
  }

  see(word: string): void {
    // The two tokens before the semicolon decide, so the semicolon that is being judged is not remembered yet.
    if (word === ';') {
      if (this.inside) this.#last = ['', ';'];
      return;
    }
    this.#last = [this.#last[1] as string, word];
    this.#words++;
    if (this.#words === 1 && word === 'explain') this.#words = 0;
    else if (this.#words === 1) this.#create = word === 'create';
    else if (this.#create && word === 'trigger' && this.#words <= 3) this.#body = true;
  }
}

/** SQLite's numbering: `?` takes the next number, `?5` that one, a name its own. Places are from 0. */
function assign(places: readonly string[]): Omit<ScriptStatement, 'sql' | 'places' | 'word'> {
  const anonymous: number[] = [];
  const named: Record<string, number> = {};
  let count = 0;
  for (const place of places) {
    const name = place.slice(1);
    if (place === '?') {
      anonymous.push(count++);
    } else if (place.startsWith('?')) {
      named[name] = Number(name) - 1;
      count = Math.max(count, Number(name));
    } else if (!Object.hasOwn(named, name)) {
      named[name] = count++;
    }
  }
  return { anonymous, named, count };
}
