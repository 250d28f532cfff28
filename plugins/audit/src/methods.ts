import { described, type Methods, needs, optional, RpcError, Type } from '@svc/plugin-sdk';
import { asString } from '@svc/plugin-sdk/json';
import { Int64 } from '@svc/plugin-sdk/schemas';
import { BEGIN, type Cursor, exportPage } from './export.ts';
import { mayRead } from './permissions.ts';
import type { Filter, Place, Store } from './store.ts';
import { type ChainReport, type Own, verifyAll } from './verify.ts';

const DEFAULT_ROWS = 100;
const MOST_ROWS = 1_000;
/** Rows that are read at once, and the characters after which an answer is long enough: targets may be long. */
const STEP_ROWS = 100;
const MOST_CHARS = 1_048_576;

const Text = Type.String({ maxLength: 1_024 });
const Query = Type.Object(
  {
    from: optional(Int64),
    to: optional(Int64),
    token: optional(Text),
    method: optional(Text),
    target: optional(Text),
    address: optional(Text),
    server_uuid: optional(Text),
    success: optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

const Report = Type.Object({
  chain: Type.String(),
  server_uuid: Type.String(),
  public_key: Type.String(),
  own: Type.Boolean(),
  first_seq: Type.Integer(),
  last_seq: Type.Integer(),
  rows: Type.Integer(),
  problems: Type.Array(Type.Object({ seq: Type.Integer(), problem: Type.String() })),
});

interface Parts {
  readonly store: Store;
  readonly own: () => Promise<Own | undefined>;
  /** Resolves when earlier events can be read. */
  readonly settled: () => Promise<void>;
  readonly stopping: AbortSignal;
}

/** `audit_*`: additions to the protocol. */
export function addMethods(methods: Methods, parts: Parts): void {
  addQuery(methods, parts);
  addVerify(methods, parts);
  addExport(methods, parts);
}

function addQuery(methods: Methods, { settled, store }: Parts): void {
  methods.add('audit_query', {
    summary: 'Changes that match, newest first; `next` is the `before` of the next page.',
    addition: true,
    params: {
      query: described(optional(Query), 'What a change has to match. Absent: all.'),
      limit: described(
        optional(Type.Integer({ minimum: 1, maximum: MOST_ROWS })),
        `Changes at most. Default: ${DEFAULT_ROWS}.`,
      ),
      before: described(optional(Text), 'The `next` of the page before. Absent: the newest.'),
    },
    result: Type.Object({
      rows: Type.Array(Type.Unknown()),
      next: Type.Union([Type.String(), Type.Null()]),
    }),
    prepare: ({ query, limit, before }) => ({
      filter: query ?? {},
      limit: limit ?? DEFAULT_ROWS,
      before: placeOf(before ?? undefined),
    }),
    access: needs(mayRead),
    async handle({ filter, limit, before }, { signal }) {
      await settled();
      return rowsOf(store, { filter, limit, before }, signal);
    },
  });
}

function addVerify(methods: Methods, { own, settled, stopping, store }: Parts): void {
  let running: Promise<ChainReport[]> | undefined;
  methods.add('audit_verify', {
    summary: 'Checks every chain of the database; `problems` say at which row it was changed.',
    addition: true,
    params: {},
    result: Type.Object({ ok: Type.Boolean(), chains: Type.Array(Report) }),
    access: needs(mayRead),
    async handle() {
      await settled();
      // One at a time: concurrent callers share the answer.
      running ??= own()
        .then((known) => verifyAll(store, known, stopping))
        .finally(() => {
          running = undefined;
        });
      const chains = await running;
      return {
        ok: chains.every(({ problems }) => problems.length === 0),
        chains: chains.map((chain) => ({ ...chain, problems: [...chain.problems] })),
      };
    },
  });
}

function addExport(methods: Methods, { settled, store }: Parts): void {
  methods.add('audit_export', {
    summary: 'A page of the audit as lines of JSON; `next` is the `after` of the next page.',
    addition: true,
    params: {
      after: described(optional(Text), 'The `next` of the page before. Absent: the first.'),
    },
    result: Type.Object({
      lines: Type.Array(Type.String()),
      next: Type.Union([Type.String(), Type.Null()]),
    }),
    prepare: ({ after }) => (after ? cursorOf(after) : BEGIN),
    access: needs(mayRead),
    async handle(cursor) {
      await settled();
      const { lines, next } = await exportPage(store, cursor);
      return { lines: [...lines], next: next ? `${next.chain}:${next.seq}` : null };
    },
  });
}

type StoredRow = readonly [
  chain_id: number,
  chain: string,
  server_uuid: string,
  seq: number,
  at: number,
  token: string,
  name: string,
  method: string,
  target: string,
  address: string,
  transport: string,
  outcome: number,
  count: number,
  hash: string,
];

async function rowsOf(
  store: Store,
  { filter, limit, before }: { filter: Filter; limit: number; before: Place | undefined },
  signal: AbortSignal,
) {
  const rows: unknown[] = [];
  let place = before;
  for (let chars = 0; rows.length < limit && chars < MOST_CHARS; ) {
    const count = Math.min(STEP_ROWS, limit - rows.length);
    const options = { limit: count, maxBytes: Number.MAX_SAFE_INTEGER, signal };
    const { text } = await store.query(filter, place, options);
    const page = JSON.parse(asString(text)) as StoredRow[];
    for (const row of page) rows.push(shown(row));
    chars += text.length;
    const last = page.at(-1);
    if (page.length < count || !last) return { rows, next: null };
    place = { at: last[4], chain: last[0], seq: last[3] };
  }
  return { rows, next: place ? `${place.at}:${place.chain}:${place.seq}` : null };
}

const shown = (row: StoredRow) => {
  const [, chain, server_uuid, seq, at, token, name, method, target] = row;
  const [address, transport, outcome, count, hash] = row.slice(9) as [
    string,
    string,
    number,
    number,
    string,
  ];
  return {
    ...{ chain, server_uuid, seq, at, token, name, method, target, address, transport },
    ...{ outcome: outcome === 0 ? ('ok' as const) : outcome, count, hash },
  };
};

function placeOf(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined;
  const [at, chain, seq] = numbersOf(text, 3) as [number, number, number];
  return { at, chain, seq };
}

function cursorOf(text: string): Cursor {
  const [chain, seq] = numbersOf(text, 2) as [number, number];
  return { chain, seq };
}

function numbersOf(text: string, count: number): number[] {
  const numbers = text.split(':').map(Number);
  if (numbers.length !== count || !numbers.every(Number.isSafeInteger))
    throw RpcError.invalid(`'${text.slice(0, 100)}' is no 'next' of an earlier answer`);
  return numbers;
}
