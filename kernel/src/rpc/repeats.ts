/**
 * Questions that callers ask each second in the same words, written for speed: saves parsing and checking the same long
 * question again (`npm run bench -- cost` with `SVC_BENCH_COST=multi-last`, Node 24).
 * @module
 */
/** Texts that are kept of each method, with what they say: some megabytes at most. */
const KEPT = 16;
/** Longest message that is looked for, bytes. */
export const LONGEST = 96 * 1024;
/** Up to the credential, when that stands first and has no escapes. */
const FIRST = /^(?:\{"(\w+)":|\[)"([ !#-[\]-~]*)"/;

const NONE = Symbol('no credential');
type Values = { readonly [name: string | number]: unknown };

/** Parameters that passed their schemas, by their text behind the credential. */
export class Repeats {
  readonly #kept: { readonly rest: string; readonly params: Values }[] = [];

  /** The parameters of an earlier call with this text, no matter what its credential was. */
  lookup(text: string): Values | undefined {
    const [first = '', name = 0, credential] = FIRST.exec(text) ?? [];
    const rest = text.slice(first.length);
    // Unlike a map it needs no hash of the text.
    const params = this.#kept.find((kept) => kept.rest === rest)?.params;
    return params?.[name] === NONE ? exchanged(params, name, credential) : undefined;
  }

  /** @param name of the credential, which is kept nowhere */
  store(text: string, params: unknown, name: string): void {
    const [first = '', found = name] = FIRST.exec(text) ?? [];
    if (first === '' || found !== name || text.length > LONGEST) return;
    const values = exchanged(params as Values, Array.isArray(params) ? 0 : name, NONE);
    // A slice would hold on to the whole text.
    this.#kept.unshift({ rest: Buffer.from(text.slice(first.length)).toString(), params: values });
    if (this.#kept.length > KEPT) this.#kept.pop();
  }
}

const exchanged = (values: Values, name: string | number, value: unknown): Values =>
  Array.isArray(values) ? (values.with(0, value) as never) : { ...values, [name]: value };
