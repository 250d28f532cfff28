import type { Message } from '../api.ts';
import { Clock } from './clock.ts';
import { fill } from './fill.ts';
import { type Language, wordsOf } from './language.ts';

export { wordsOf } from './language.ts';

export interface TestOptions {
  /** Name of the channel. */
  readonly name: string;
  readonly brand: string;
  readonly language: Language;
  readonly zone: string;
  readonly now: number;
}

/** Message that shows a person that a channel works. */
export function testMessage({ name, brand, language, zone, now }: TestOptions): Message {
  const words = wordsOf(language);
  const time = new Clock(words, zone, now).short(now);
  return {
    type: 'test',
    sent_at: now,
    group: { key: 'test', open: 0, closed: 0 },
    alerts: [],
    more: 0,
    severity: 'info',
    title: fill(words.testTitle, { brand }),
    text: `${fill(words.testText, { name })}\n${fill(words.testExample, { time })}`,
  };
}
