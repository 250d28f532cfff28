import { isUtf8 } from 'node:buffer';
import { nextSlice } from '@svc/fair-turns';
import { RpcError } from '@svc/plugin-sdk';
import { Cursor, invalidJson, OPEN_LIST, OPEN_OBJECT, type Span } from '@svc/plugin-sdk/json';
import type { Incoming, ReadEntry, Reading, ReadPart } from '@svc/plugin-sdk/kernel';
import type { Refusals } from '../api.ts';
import { CredentialCheck, membersOf, UNAUTHENTICATED_BYTES } from './credentials.ts';
import { EntryReader, MOST_DEPTH, MOST_VALUES, shortMembers, TOO_DEEP } from './entry.ts';
import type { MessageMemory } from './memory.ts';

/** Values that are parsed at once. */
const FEW_VALUES = 20_000;
/** Memory of a parsed message, bytes: each of its own bytes up to three times, and an empty object as much as `PER_VALUE`. */
const PER_BYTE = 3;
const PER_VALUE = 100;
/** White space before a message (conventions.md §3.2). */
const MOST_SPACE = 127;
const ENTRIES_PER_SLICE = 250;
const unparsable: Reading = { entries: [], release: () => undefined };

/** Result of the scan of a message. */
interface Scan {
  readonly isBatch: boolean;
  /** Members of a message that is no batch. */
  readonly members: readonly Span[];
  /** Valid ones, by entry; empty for a message that need not show any. */
  readonly credentials: readonly string[];
  /** Values of the message; of one that is no batch at most as many as are made of it. */
  readonly values: number;
  /** Levels of the deepest member of a message that is no batch. */
  readonly deepest: number;
}

interface Options {
  readonly memory: MessageMemory;
  readonly refusals: Refusals;
}

/** Decides about messages of some length before they are parsed, and parses those that would take long. */
export class Messages {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** A promise only for what is long, or must wait. */
  read(incoming: Incoming): Reading | Promise<Reading> {
    const { bytes, origin } = incoming;
    const values = bytes.length > UNAUTHENTICATED_BYTES ? undefined : fewValues(bytes);
    if (values === undefined) return this.#readLong(incoming);
    const release = this.#options.memory.tryAcquire(origin.address, cost(bytes, values));
    return release ? { release } : this.#readLong(incoming);
  }

  async #readLong(incoming: Incoming): Promise<Reading> {
    const { bytes, origin } = incoming;
    let release = unparsable.release;
    try {
      if (!isUtf8(bytes)) return unparsable;
      const scan = await this.#scan(incoming);
      release = await this.#acquire(origin.address, bytes, scan);
      const read = await parse(incoming, scan);
      this.#count(read, origin.address);
      return { ...read, release };
    } catch (error) {
      release();
      if (error instanceof SyntaxError) return unparsable;
      if (!(error instanceof Refused)) throw error;
      return { ...unparsable, entries: [{ members: error.members, fault: error.error }] };
    }
  }

  #count({ entries = [] }: Pick<Reading, 'entries'>, address: string): void {
    const refused = entries.find(({ fault }) => fault instanceof RpcError)?.fault as RpcError;
    if (!refused) return;
    const reason = refused.data === TOO_DEEP ? 'nests too deep' : 'holds too many values';
    this.#options.refusals.refused(`a message that ${reason}`, address);
  }

  async #acquire(address: string, bytes: Buffer, { values, members }: Scan): Promise<() => void> {
    try {
      return await this.#options.memory.acquire(address, cost(bytes, values));
    } catch (error) {
      this.#options.refusals.refused('no memory for a message', address);
      throw new Refused(error as RpcError, shortMembers(bytes, members));
    }
  }

  async #scan(incoming: Incoming): Promise<Scan> {
    const { bytes, origin } = incoming;
    const check = bytes.length > UNAUTHENTICATED_BYTES ? new CredentialCheck(incoming) : undefined;
    const authenticate = async (members: readonly Span[], entry?: number): Promise<string> => {
      try {
        return (await check?.credentialOf(members)) ?? '';
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        this.#options.refusals.refused('large message without a valid credential', origin.address);
        throw entry === undefined
          ? new Refused(error, shortMembers(bytes, members))
          : new Refused(ofBatch(error, entry), []);
      }
    };
    const cursor = new Cursor(bytes);
    const opening = beginning(cursor);
    const credentials: string[] = [];
    let members: readonly Span[] = [];
    if (opening === OPEN_OBJECT) {
      members = await membersOf(cursor);
      credentials.push(await authenticate(members));
    } else {
      let entry = 0;
      for (const span of cursor.items()) {
        if (!span || ++entry % ENTRIES_PER_SLICE === 0) await nextSlice();
        if (!span) continue;
        if (!check) continue;
        const within = new Cursor(bytes, span.start, span.end);
        const isObject = bytes[span.start] === OPEN_OBJECT;
        credentials.push(await authenticate(isObject ? await membersOf(within) : [], entry));
      }
    }
    if (cursor.space() >= 0) throw invalidJson();
    const { deepest } = cursor;
    const isBatch = opening === OPEN_LIST;
    const values = isBatch ? cursor.values : Math.min(cursor.values, MOST_VALUES);
    return { isBatch, members, credentials, values, deepest };
  }
}

/** Ends the reading of a message that is not let in. */
class Refused extends Error {
  readonly error: RpcError;
  readonly members: readonly ReadPart[];

  constructor(error: RpcError, members: readonly ReadPart[]) {
    super(error.message);
    this.error = error;
    this.members = members;
  }
}

const ofBatch = ({ code, message, data }: RpcError, entry: number): RpcError => {
  const more = data === undefined ? '' : `: ${data}`;
  return new RpcError(code, message, { data: `entry ${entry}, no entry was run${more}` });
};

const cost = (bytes: Buffer, values: number): number =>
  bytes.length * PER_BYTE + values * PER_VALUE;

/** The number of values of a message that may be parsed at once; undefined: it is deep, holds many, or is broken. */
function fewValues(bytes: Buffer): number | undefined {
  const cursor = new Cursor(bytes);
  try {
    beginning(cursor);
    cursor.pass();
  } catch {
    // The long way informs the sender.
    return undefined;
  }
  return cursor.values > FEW_VALUES || cursor.deepest > MOST_DEPTH + 1 ? undefined : cursor.values;
}

/** @returns the byte with which the message begins. @throws SyntaxError when it is no JSON-RPC */
function beginning(cursor: Cursor): number {
  const code = cursor.space();
  if (cursor.at > MOST_SPACE || (code !== OPEN_LIST && code !== OPEN_OBJECT)) throw invalidJson();
  return code;
}

async function parse(incoming: Incoming, scan: Scan): Promise<Omit<Reading, 'release'>> {
  const { isBatch, members, credentials, deepest } = scan;
  const reader = new EntryReader(incoming);
  if (!isBatch) return { entries: [await reader.object(members, deepest, credentials[0])] };
  const entries: ReadEntry[] = [];
  const cursor = new Cursor(incoming.bytes);
  cursor.space();
  for (const span of cursor.items()) {
    if (!span || entries.length % ENTRIES_PER_SLICE === 1) await nextSlice();
    if (span) entries.push(await reader.entry(span, credentials[entries.length]));
  }
  return { isBatch, entries };
}
