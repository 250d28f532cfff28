/** One statement of a script. */
export interface ScriptStatement {
  readonly sql: string;
  /** The statement without its semicolon and what follows. */
  readonly body: string;
  readonly places: readonly Placeholder[];
  /** The first word, lower case; the empty text when it begins with something else. */
  readonly word: string;
}

/** A placeholder as it is written, and where it stands in the statement's `sql`. */
export interface Placeholder {
  readonly text: string;
  readonly at: number;
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
  let open: OpenStatement | undefined;
  for (const match of sql.matchAll(token)) {
    const { blank, end, place, word } = match.groups as Record<string, string | undefined>;
    if (blank !== undefined || (end !== undefined && !open)) continue;
    const { index } = match;
    open ??= {
      from: index,
      to: index,
      places: [],
      word: word?.toLowerCase() ?? '',
      trigger: new TriggerWatch(),
    };
    const after = index + match[0].length;
    if (place !== undefined) open.places.push({ text: place, at: index - open.from });
    open.trigger.see(end ?? word?.toLowerCase() ?? '');
    if (end === undefined || open.trigger.inside) open.to = after;
    else {
      statements.push(closed(sql, open, after));
      open = undefined;
    }
  }
  if (open) statements.push(closed(sql, open, sql.length));
  return statements;
}

/** Every word and quoted text, without its quotes and in lower case: whatever stands for a name is among them. */
export function namesIn(sql: string): string[] {
  const names: string[] = [];
  for (const { groups = {}, 0: text } of sql.matchAll(token)) {
    if (groups['word'] !== undefined) names.push(text.toLowerCase());
    else if (groups['quoted'] !== undefined) names.push(text.slice(1, -1).toLowerCase());
  }
  return names;
}

/** A statement whose end is not reached yet. */
interface OpenStatement {
  readonly from: number;
  /** End of the last token that is neither a blank nor the semicolon. */
  to: number;
  readonly places: Placeholder[];
  readonly word: string;
  readonly trigger: TriggerWatch;
}

const closed = (
  sql: string,
  { from, to, places, word }: OpenStatement,
  end: number,
): ScriptStatement => ({
  sql: sql.slice(from, end).trimEnd(),
  body: sql.slice(from, to),
  places,
  word,
});

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
