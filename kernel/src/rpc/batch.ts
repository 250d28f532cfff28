import { setImmediate as nextTurn } from 'node:timers/promises';
import { byteLength, joinTexts, type Texts } from '@svc/plugin-sdk/json';
import { Committing } from '@svc/plugin-sdk/util';
import type { Message } from './envelope.ts';
import { batchTooBig, exceeded, invalidRequest } from './errors.ts';

/** Entries of an array that may run before other connections have their turn, and for how long. */
const ENTRIES_PER_TURN = 50;
const TURN_MS = 10;

/** An answer. `release` is called when the text has been handed to the socket: then a subscription may send items. */
export interface Answer {
  /** Texts to send; undefined: none (notifications). */
  readonly text: Texts | undefined;
  readonly release?: (() => void) | undefined;
  /** Promise for which the answer waits; by then nothing holds the call's parameters. */
  readonly after?: Promise<unknown> | undefined;
}

/** An answer, or the commit that it waits for. */
export type Begun = Answer | Committing<Answer>;

interface ArrayOptions {
  /** Entries at most. */
  readonly most: number;
  /** Bytes of the answer at most. */
  readonly limit: number;
  /** Tells whether an entry waits for no commit of those before it. */
  isGathered(entry: Message): boolean;
  begin(entry: Message): Begun | Promise<Begun>;
}

/** Answers an array of calls: one begins after the other, and the answers stand in the same order. */
export async function answerArray(
  entries: readonly Message[],
  { most, limit, isGathered, begin }: ArrayOptions,
): Promise<Answer> {
  const isTooLong = entries.length > most;
  const answers = new ArrayAnswer(limit);
  let begun = performance.now();
  for (const [index, entry] of entries.entries()) {
    const isFull = index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1;
    if (isFull || performance.now() - begun > TURN_MS) {
      await nextTurn();
      begun = performance.now();
    }
    if (!isGathered(entry)) await answers.settle(true);
    if (answers.isTooBig) break;
    answers.add(isTooLong ? tooMany(entry, most) : await begin(entry));
  }
  await answers.settle(false);
  const release = () => answers.release();
  if (answers.isTooBig) {
    release();
    return { text: batchTooBig(limit) };
  }
  const { text } = answers;
  if (text !== undefined) return { text, release };
  return { text: isTooLong ? invalidRequest('null', entriesOver(most)) : undefined };
}

const entriesOver = (most: number) => exceeded(`${most} entries`);

/** The answer to an entry of an array that is too long; a client may wait for every id that it sent. */
const tooMany = (entry: Message, most: number): Answer =>
  'id' in entry && (entry.kind === 'call' || entry.id !== 'null')
    ? { text: invalidRequest(entry.id, entriesOver(most)) }
    : { text: undefined };

/** The answers to the entries in their order, however late they are. */
class ArrayAnswer {
  readonly #limit: number;
  readonly #texts: Texts[] = [];
  readonly #releases: (() => void)[] = [];
  /** Answers that wait for commits, and what came behind them. */
  #waiting: Begun[] = [];
  #bytes = 2;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isTooBig(): boolean {
    return this.#bytes > this.#limit;
  }

  add(answer: Begun): void {
    if (this.#waiting.length > 0 || answer instanceof Committing) this.#waiting.push(answer);
    else this.#append(answer);
  }

  /** Waits for the commits so far. `hurried`: something else waits for them. */
  async settle(hurried: boolean): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (hurried) waiting.findLast((answer) => answer instanceof Committing)?.hurry();
    for (const answer of waiting)
      this.#append(answer instanceof Committing ? await answer.committed : answer);
  }

  #append({ text, release }: Answer): void {
    if (text === undefined || this.isTooBig) return;
    if (release) this.#releases.push(release);
    this.#texts.push(this.#texts.length === 0 ? '[' : ',', text);
    this.#bytes += byteLength(text) + 1;
  }

  /** Returns the texts of the array; undefined: no entry has an answer. */
  get text(): Texts | undefined {
    return this.#texts.length > 0 ? joinTexts([...this.#texts, ']']) : undefined;
  }

  release(): void {
    for (const release of this.#releases) release();
  }
}
