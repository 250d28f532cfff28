import { inSlices, nextSlice } from '@svc/fair-turns';
import { RpcError } from '@svc/plugin-sdk';
import {
  Cursor,
  camelOf,
  checkPieces,
  FaultFinder,
  jsonAt,
  OPEN_LIST,
  OPEN_OBJECT,
  type Place,
  parsePieces,
  type Span,
} from '@svc/plugin-sdk/json';
import type { Incoming, ReadEntry, ReadPart } from '@svc/plugin-sdk/kernel';
import { LONGEST_NAME, membersOf, only, shortString } from './credentials.ts';

/** Parameters nest at most 128 deep, `params` stands around them (conventions.md §2.3), and the call around that. */
export const MOST_DEPTH = 129;
/**
 * Values that are made of one call; the collector of memory would hold the event loop for more. A parameter that its method
 * takes as JSON text is never made.
 */
export const MOST_VALUES = 100_000;
/** Values of all calls of a batch together. */
const MOST_BATCH_VALUES = 500_000;
/** Elements of `params` whose text may be asked for; no method has as many parameters. */
const MOST_ELEMENTS = 64;
const MOST_NAMES = 1_000;
/** Longest member, bytes, by which a refused call is distinguished. */
const SHORT_MEMBER = 1_024;

export const TOO_DEEP = 'recursion limit exceeded';
const TOO_MANY = `too many values: a call may hold ${MOST_VALUES}, and a batch ${MOST_BATCH_VALUES}, beside parameters that are kept as JSON text`;

/** Tells of a member or element of `params` whether its method takes it as text. */
type TakesText = (span: Span, at: number) => boolean;

/** Parses the entries of one message in slices. */
export class EntryReader {
  readonly #incoming: Incoming;
  /** Values that further entries may hold. */
  #remaining = MOST_BATCH_VALUES;

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
  }

  /** An entry of a batch. @throws SyntaxError */
  async entry(span: Span, credential: string | undefined): Promise<ReadEntry> {
    const { bytes } = this.#incoming;
    const cursor = new Cursor(bytes, span.start, span.end);
    if (bytes[span.start] === OPEN_OBJECT) {
      const members = await membersOf(cursor);
      return this.object(members, cursor.deepest, credential);
    }
    cursor.pass();
    // What is no object is no call, however deep it nests.
    if (cursor.deepest <= MOST_DEPTH) await inSlices(checkPieces(bytes, span));
    return {};
  }

  /** The call with these members. @throws SyntaxError */
  async object(
    spans: readonly Span[],
    deepest: number,
    credential: string | undefined,
  ): Promise<ReadEntry> {
    const { bytes } = this.#incoming;
    if (deepest > MOST_DEPTH) return refusal(bytes, spans, TOO_DEEP);
    const given = only(spans, 'params');
    const parts = given && (await partsOf(bytes, given));
    if (parts && parts.length > MOST_NAMES) return refusal(bytes, spans, 'too many names');
    const takesText = given && parts ? this.#takesText(spans, given, parts) : never;
    const texts = (parts ?? []).filter(takesText);
    const made = sum(spans) - sum(texts);
    this.#remaining -= made;
    if (made > MOST_VALUES || this.#remaining < 0) return refusal(bytes, spans, TOO_MANY);
    const faults = new FaultFinder();
    const members: ReadPart[] = [];
    for (const span of spans) {
      const value =
        span === given && parts && texts.length > 0
          ? await this.#params(given, parts, { takesText, faults })
          : await inSlices(parsePieces(bytes, span, span === given ? faults : undefined));
      members.push({ ...memberText(bytes, span), value });
    }
    return {
      members,
      fault: faults.fault,
      ...(parts && { params: parts.map((span) => readText(bytes, span)) }),
      ...(credential ? { credential } : {}),
    };
  }

  #takesText(members: readonly Span[], given: Place, parts: readonly Span[]): TakesText {
    const { bytes, credentialOf, paramsOf } = this.#incoming;
    const method = shortString(bytes, only(members, 'method'), LONGEST_NAME) ?? '';
    const schemas = Object.entries(paramsOf(method) ?? {});
    const texts = schemas.filter(([, schema]) => Object.hasOwn(schema, 'x-json-text'));
    if (texts.length === 0) return never;
    if (bytes[given.start] === OPEN_OBJECT) {
      const names = new Set(texts.flatMap(([name]) => [name, camelOf(name)]));
      return ({ name }) => names.has(name);
    }
    // Text after the last part is parsed with the others.
    if (parts.length === MOST_ELEMENTS) return never;
    const before = credentialOf(method) === undefined ? 0 : 1;
    return (_span, at) => texts.some((text) => text === schemas[at - before]);
  }

  /** The value of `params` without those that are taken as text. */
  async #params(
    { start }: Place,
    parts: readonly Span[],
    { takesText, faults }: { takesText: TakesText; faults: FaultFinder },
  ): Promise<unknown> {
    const { bytes } = this.#incoming;
    const values: [name: string, value: unknown][] = [];
    for (const [at, part] of parts.entries()) {
      let value: unknown;
      if (takesText(part, at) && part.values > 1) {
        await inSlices(checkPieces(bytes, part, faults));
        value = TEXT_ALONE;
      } else value = await inSlices(parsePieces(bytes, part, faults));
      values.push([part.name, value]);
    }
    const isList = bytes[start] === OPEN_LIST;
    return isList ? values.map(([, value]) => value) : Object.fromEntries(values);
  }
}

const never: TakesText = () => false;
/** Stands for a value of which the method takes the text. */
const TEXT_ALONE: Readonly<Record<string, never>> = Object.freeze({});

const sum = (spans: readonly Span[]): number =>
  spans.reduce((values, span) => values + span.values, 0);

const refusal = (bytes: Buffer, spans: readonly Span[], reason: string): ReadEntry => ({
  members: shortMembers(bytes, spans),
  fault: RpcError.params(reason),
});

/** Members of `params`, or its first elements; undefined when it is neither object nor list. */
async function partsOf(bytes: Buffer, { start, end }: Place): Promise<Span[] | undefined> {
  const code = bytes[start];
  if (code !== OPEN_LIST && code !== OPEN_OBJECT) return undefined;
  const parts: Span[] = [];
  const most = code === OPEN_LIST ? MOST_ELEMENTS : MOST_NAMES + 1;
  for (const span of new Cursor(bytes, start, end).items()) {
    if (!span) await nextSlice();
    else if (parts.push(span) >= most) break;
  }
  return parts;
}

const readText = (bytes: Buffer, { name, start, end }: Span): ReadPart => ({
  name,
  text: () => bytes.toString('utf8', start, end),
});

/** Returns a member without the text of long `params`: that is asked for only where they are neither object nor list. */
function memberText(bytes: Buffer, span: Span): ReadPart {
  const isLong = span.name === 'params' && span.end - span.start > SHORT_MEMBER;
  return isLong ? { name: span.name, text: () => '' } : readText(bytes, span);
}

/** The members by which a call that is not parsed gets its answer. */
export function shortMembers(bytes: Buffer, spans: readonly Span[]): ReadPart[] {
  const short = spans.filter(({ start, end }) => end - start <= SHORT_MEMBER);
  return short
    .filter(({ name }) => ENVELOPE.has(name))
    .map((span) => ({ ...readText(bytes, span), value: jsonAt(bytes, span) }));
}
const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method']);
