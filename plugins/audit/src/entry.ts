import { createHash } from 'node:crypto';

/** One row, before it has its place in the chain. */
export interface Entry {
  /** Unix ms. */
  readonly at: number;
  /** Key of the token; empty where there was none, `system` for the server itself. */
  readonly token: string;
  /** User name of the token; empty where it has none. */
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly address: string;
  readonly transport: string;
  /** 0: it was done; else the code of the error. */
  readonly outcome: number;
  /** Equal events that this row stands for. */
  readonly count: number;
}

/** A row of the table. */
export interface Row extends Entry {
  readonly seq: number;
  /** Hash of its line, in hex. */
  readonly hash: string;
}

/** Hash before the first row of a chain. */
export const ORIGIN = '0'.repeat(64);

/** Characters of a target that are kept: whole texts of SQL, unless they are extraordinary. */
const MOST_CHARS = 65_536;
const SHORT_CHARS = 1_024;

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Text that each database can store, cut where it is too long; the hash of the whole stands for the rest. */
export function kept(text: string, most = MOST_CHARS): string {
  const whole = text.length <= most;
  const cut = whole
    ? text
    : `${text.slice(0, most)}… (${text.length} characters, sha256 ${sha256(text)})`;
  return cut.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Short text to store, which no caller can make long. */
export const keptShort = (text: string): string => kept(text, SHORT_CHARS);

/** Canonical text of a row: what its hash is made of, and a line of the export. README, "The export". */
export const lineOf = (chain: string, prev: string, seq: number, entry: Entry): string =>
  JSON.stringify({
    chain,
    seq,
    prev,
    at: entry.at,
    token: entry.token,
    name: entry.name,
    method: entry.method,
    target: entry.target,
    address: entry.address,
    transport: entry.transport,
    outcome: entry.outcome === 0 ? 'ok' : entry.outcome,
    count: entry.count,
  });

/** Statement of the end of a chain; its text is signed. */
export interface Mark {
  /** Last row. */
  readonly seq: number;
  readonly hash: string;
  /** Unix ms. */
  readonly at: number;
  /** Rows up to this one were removed by retention. */
  readonly base: number;
}

export interface SignedMark extends Mark {
  /** Ed25519 over `textOf`, in base64. */
  readonly signature: string;
}

export const textOf = (chain: string, { seq, hash, at, base }: Mark): string =>
  JSON.stringify({ chain, checkpoint: seq, hash, at, base });

/** Name of a chain: a server with another key has another one, whatever UUID it was given. */
export const chainName = (serverUuid: string, publicKey: string): string =>
  sha256(`${serverUuid}\n${publicKey}`).slice(0, 32);
