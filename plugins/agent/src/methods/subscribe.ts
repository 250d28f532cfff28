import {
  type AccessContext,
  type Auth,
  described,
  type Methods,
  optional,
  RpcError,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import type { Peer } from '@svc/plugin-sdk/http';
import { MOST_AGENTS, MOST_WORDS, wordOf, words } from '@svc/plugin-sdk/schemas';
import { type FieldWord, type Selection, selectionOf } from '../fields.ts';
import { KINDS, type Kind } from '../kinds.ts';
import { TURN_MS } from '../live/feed.ts';
import type { Feeds } from '../live/live.ts';
import { Rights } from '../live/rights.ts';
import { distinct } from '../multi-last.ts';
import { DynamicField, DynamicRow } from '../schemas/dynamic.ts';
import { StaticField, StaticRow } from '../schemas/static.ts';
import { SummaryField, SummaryRow } from '../schemas/summary.ts';

/** Subscriptions of one connection. */
const PER_CONNECTION = 32;
const DEFAULT_MS = 1_000;
const LONGEST_MS = 3_600_000;

const params = {
  agents: optional(
    Type.Array(Uuid, {
      minItems: 1,
      maxItems: MOST_AGENTS,
      description:
        'Each must be allowed; one that never reported joins later. Absent: all that the caller may see, later ones included, each with the fields that it may see.',
    }),
  ),
  fields: optional(
    Type.Array(Type.Union([SummaryField, DynamicField, StaticField]), {
      maxItems: MOST_WORDS,
      description: 'As the queries of this kind take them. Absent: all.',
    }),
  ),
  interval_ms: optional(
    Type.Integer({
      minimum: TURN_MS,
      maximum: LONGEST_MS,
      description: `Least time between two rows of one agent, rounded up to ${TURN_MS} ms. Default: ${DEFAULT_MS}.`,
    }),
  ),
  kind: described(
    optional(words(['summary', 'dynamic', 'static'])),
    'Kind of the reports. Default: `summary`.',
  ),
};

/** `agent_subscribe` and `agent_unsubscribe`: the newest reports, then each change. */
export function addSubscribeMethod(methods: Methods, feeds: Feeds, auth: Auth): void {
  const places = createPlaces();

  methods.addSubscription('agent_subscribe', {
    summary: 'The newest report of each agent, then those that change, at most one in an interval.',
    description:
      'The first item holds the state, a long one in several items; rows are those of the read methods. A subscriber that reads slowly gets fewer items, always with the newest rows.',
    addition: true,
    unsubscribe: 'agent_unsubscribe',
    params,
    item: Type.Object({ agents: Type.Array(Type.Union([SummaryRow, DynamicRow, StaticRow])) }),
    prepare: ({ agents, fields, interval_ms, kind: word }): Asked => {
      const kind = kindOf(wordOf(word ?? 'summary'));
      const every = Math.ceil((interval_ms ?? DEFAULT_MS) / TURN_MS);
      const selection = selected(kind, fields ?? kind.fields.map(({ name }) => name));
      return { kind, selection, named: agents ? distinct(agents) : undefined, every };
    },
    right: {
      words:
        'the right to read each field of each agent that is named; without `agents`, what the caller may see is sent',
      scopes: [{ agent_uuid: '<agents>' }],
      permissions: [{ dynamic_monitoring_summary: 'read' }],
    },
    access: { custom: (asked, call) => admit(auth, asked, call) },
    livesOn:
      ({ kind, ...wanted }, { caller }) =>
      () =>
        feeds[kind.name].mayContinue({ ...wanted, caller }),
    async open({ kind, ...wanted }, { caller, peer }, push) {
      const release = places.acquire(peer);
      try {
        const end = await feeds[kind.name].open({ ...wanted, caller, push });
        return () => {
          end();
          release();
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  });
}

/** Counts the subscriptions of each connection. */
function createPlaces() {
  const taken = new Map<string, number>();
  return {
    /** @returns a function that releases it. @throws RpcError -32006 beyond the limit */
    acquire({ id }: Peer): () => void {
      const count = taken.get(id) ?? 0;
      if (count >= PER_CONNECTION) throw tooMany();
      taken.set(id, count + 1);
      return () => {
        const left = (taken.get(id) ?? 1) - 1;
        if (left > 0) taken.set(id, left);
        else taken.delete(id);
      };
    },
  };
}

interface Asked {
  readonly kind: Kind;
  readonly selection: Selection;
  /** Distinct, canonical; undefined: all that may be seen. */
  readonly named: readonly string[] | undefined;
  /** Turns between two rows of one agent. */
  readonly every: number;
}

const kindOf = (name: string): Kind => KINDS.find((kind) => kind.name === name) as Kind;

/** @throws RpcError 108 for a field of another kind */
function selected(kind: Kind, given: readonly FieldWord[]): Selection {
  const names = kind.fields.map(({ name }) => name);
  for (const word of given) {
    const name = wordOf(word);
    if (names.includes(name)) continue;
    throw RpcError.invalid(`fields: '${name}' is not of kind '${kind.name}' (${names.join(', ')})`);
  }
  return selectionOf(kind, given);
}

const tooMany = () =>
  new RpcError(-32006, 'Too many subscriptions on the connection', {
    data: `Exceeded max limit of ${PER_CONNECTION}`,
  });

/** Checks the rights: named agents must all be allowed; otherwise agents are filtered by what may be seen. */
async function admit(auth: Auth, { kind, named, selection }: Asked, call: AccessContext) {
  const caller = await call.authenticate();
  const rights = new Rights(auth, kind);
  if (named && !(await rights.allow(caller, named, selection))) {
    throw RpcError.denied(rights.denied(selection));
  }
}
