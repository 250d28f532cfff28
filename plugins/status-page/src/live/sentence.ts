import type { Words } from '../words/index.ts';

/** Members of `Words` that are texts. */
export type Form = { [K in keyof Words]: Words[K] extends string ? K : never }[keyof Words];

/** A form of words with what belongs into it; the language and the markup come later. */
export interface Sentence {
  readonly form: Form;
  /** Name of an entry. */
  readonly name?: string;
  /** Title of an incident. */
  readonly title?: string;
  /** Names of the entries that a window is about; absent: it says nothing of them. */
  readonly names?: readonly string[];
  /** Unix ms. */
  readonly time?: number;
  /** Unix ms, after `time`. */
  readonly end?: number;
  /** ms */
  readonly span?: number;
  /** 0 to 1 */
  readonly loss?: number;
  readonly count?: number;
  readonly all?: number;
}
