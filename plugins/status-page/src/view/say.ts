import { escapeHtml } from '@svc/plugin-sdk/http';
import type { Facts } from '../live/facts.ts';
import type { Sentence } from '../live/sentence.ts';
import type { Language } from '../page.ts';
import { Format } from '../words/format.ts';
import { type Words, wordsOf } from '../words/index.ts';
import { fill } from './fill.ts';

/** Names of one sentence. */
const MOST_NAMES = 3;

/** One language at the time of one page. */
export class Voice {
  readonly language: Language;
  readonly words: Words;
  readonly format: Format;
  readonly now: number;

  constructor(language: Language, { at }: Pick<Facts, 'at'>) {
    this.language = language;
    this.words = wordsOf(language);
    this.format = formatOf(language);
    this.now = at;
  }

  /** Returns a sentence as plain text. */
  text(sentence: Sentence): string {
    const { name = '', title = '', time, end } = sentence;
    const plain = (at: number, reference: number) => this.format.time(at, reference);
    return fill(this.words[sentence.form], {
      ...{ ...this.#numbers(sentence), name, title },
      names: this.#names(sentence, (text) => text),
      time: time === undefined ? '' : plain(time, this.now),
      end: end === undefined ? '' : plain(end, time ?? this.now),
    });
  }

  /** Returns a sentence as HTML; names are isolated, because they may run from right to left. */
  html(sentence: Sentence): string {
    const { name = '', title = '', time, end } = sentence;
    const apart = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;
    const { loss, ...numbers } = this.#numbers(sentence);
    return fill(this.words[sentence.form], {
      ...numbers,
      loss: escapeHtml(loss),
      name: apart(name),
      title: apart(title),
      names: this.#names(sentence, apart),
      time: time === undefined ? '' : this.time(time),
      end: end === undefined ? '' : this.time(end, time),
    });
  }

  /**
   * Returns a time in UTC; the page's script shows it in the reader's zone.
   * @param reference the time that stands before it, on whose day no day is named; default: now
   */
  time(time: number, reference = this.now): string {
    const machine = `${new Date(time).toISOString().slice(0, 16)}Z`;
    return `<time datetime="${machine}">${this.format.time(time, reference)}</time>`;
  }

  /** " (Shop, Mail and 2 more)"; empty: nothing is named. */
  #names({ names = [] }: Sentence, apart: (name: string) => string): string {
    if (names.length === 0) return '';
    const { windowOf, comma, andMore } = this.words;
    const few = names.slice(0, MOST_NAMES).map(apart).join(comma);
    const more = names.length - MOST_NAMES;
    return fill(windowOf, {
      names: more > 0 ? fill(andMore, { names: few, count: String(more) }) : few,
    });
  }

  #numbers({ span, loss, count, all }: Sentence) {
    return {
      span: span === undefined ? '' : this.format.span(span),
      loss: loss === undefined ? '' : this.format.loss(loss),
      count: String(count ?? ''),
      all: String(all ?? ''),
    };
  }
}

const formats = new Map<Language, Format>();
function formatOf(language: Language): Format {
  const format = formats.get(language) ?? new Format(wordsOf(language));
  formats.set(language, format);
  return format;
}
