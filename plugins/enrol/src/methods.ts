import {
  type CallContext,
  described,
  type Kernel,
  type Methods,
  needs,
  optional,
  type ParamsOf,
  RpcError,
  type Static,
  Type,
} from '@svc/plugin-sdk';
import { words } from '@svc/plugin-sdk/schemas';
import { Owners, Tokens } from '@svc/plugin-token/api';
import { isBase } from './address.ts';
import { hashOf, newCode } from './code.ts';
import { curlLine, wgetLine } from './lines.ts';
import type { Place } from './place.ts';
import { mayEnrol, mayEnrolAs } from './rights.ts';
import type { Settings } from './settings.ts';
import type { Code, Store } from './store.ts';

const HOUR_S = 3_600;
const MOST_S = 30 * 24 * HOUR_S;
const MOST_USES = 10_000;
/** The last time that a calendar can show, Unix ms. */
const LAST_MS = 8.64e15;

const Name = Type.String({ minLength: 1, maxLength: 120 });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 20 });
const orNull = <T extends Parameters<typeof optional>[0]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Time = Type.Integer({ description: 'Unix ms.' });

const PARAMS = {
  name: described(optional(Name), 'Name of the machine, for a code of one use.'),
  tags: described(optional(Tags), 'Tags of the machines.'),
  seconds: optional(
    Type.Integer({
      minimum: 60,
      maximum: MOST_S,
      description: `It holds for so long. Default: ${HOUR_S}.`,
    }),
  ),
  uses: optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_USES,
      description: 'Machines that may come with it. Default: 1.',
    }),
  ),
  url: optional(
    Type.String({
      maxLength: 300,
      description:
        'Address under which the machine reaches the server. Default: `url` of [enrol], else the listener.',
    }),
  ),
};

const Made = Type.Object({
  id: Type.Integer(),
  code: Type.String({ description: 'Shown this once.' }),
  expires_at: Time,
  machines_until: orNull(
    Type.Integer({
      description:
        'Unix ms. The tokens of the machines end then, as the token that made the code does; null: they do not end.',
    }),
  ),
  line: Type.String({ description: 'For the shell of the machine.' }),
  wget_line: Type.String({ description: 'The same without curl.' }),
  key: Type.String({
    description:
      'Fingerprint of the key that signs what machines get: `sha256//` and the digest of its DER in base64. The lines hold it, and `svc-server signing-key` prints it.',
  }),
  obstacle: orNull(
    Type.Object(
      {
        kind: words(['loopback', 'listener', 'host']),
        listens: Type.String({ description: 'Address and port on which the server listens.' }),
        address: Type.String({
          description: 'Address for other machines, once the server listens for them.',
        }),
        name: Type.String({ description: 'Host name or address in the line.' }),
      },
      {
        description:
          'Why machines may not reach the address in the line. `loopback`: it is that of each machine itself. `listener`: the server ' +
          'listens for its own machine only, and a proxy must stand before it. `host`: `allowed_hosts` lacks its name.',
      },
    ),
  ),
});

const Listed = Type.Object({
  id: Type.Integer(),
  name: orNull(Name),
  tags: Tags,
  owner: orNull(
    Type.String({ description: 'Key of the token that made it; null: the Super Token.' }),
  ),
  uses: Type.Integer(),
  used: Type.Integer({ description: 'Machines that came with it.' }),
  created_at: Time,
  expires_at: Time,
  revoked_at: orNull(Time),
  last_agent: orNull(Type.String({ description: 'UUID of the machine that came last.' })),
  last_at: orNull(Time),
});

interface Parts {
  readonly kernel: Kernel<Settings>;
  readonly store: Store;
  readonly place: Place;
  /** Fingerprint of the key that signs what machines get. */
  readonly fingerprint: () => Promise<string>;
}

/** `enrol_create`, `enrol_list` and `enrol_revoke`: additions to the protocol. */
export function addMethods(methods: Methods, parts: Parts): void {
  addCreate(methods, parts);
  addList(methods, parts);
  addRevoke(methods, parts);
}

type Wanted = ReturnType<typeof wantedOf>;

/** @throws RpcError 108 */
function wantedOf({ name, tags, seconds, uses, url }: ParamsOf<typeof PARAMS>) {
  if (url && !isBase(url))
    throw RpcError.invalid(`url: '${url}' is not like https://fleet.example.net:2211`);
  if (name && (uses ?? 1) > 1)
    throw RpcError.invalid('a name is for one machine: leave it out where uses is more than 1');
  return {
    name: name ?? null,
    tags: tags ?? [],
    seconds: seconds ?? HOUR_S,
    uses: uses ?? 1,
    url: url ?? undefined,
  };
}

function addCreate(methods: Methods, { kernel, store, place, fingerprint }: Parts): void {
  const { brand, clock } = kernel;
  methods.add('enrol_create', {
    summary:
      'Makes a code with which machines get the agent and a token of their own, and the line to paste there.',
    description:
      'The machine gets a new UUID and a token that may write reports and documents of that UUID and answer its tasks; it ends when the token that made the code ends. With a name or tags the right to write `metadata_*` in the scope global is asked for, too.',
    addition: true,
    secret: true,
    params: PARAMS,
    result: Made,
    audit: ({ name }, made) => {
      const id = (made as Static<typeof Made> | undefined)?.id;
      return [...(id === undefined ? [] : [`code ${id}`]), ...(name ? [name] : [])].join(' ');
    },
    prepare: wantedOf,
    access: needs(({ name, tags }: Wanted) => mayEnrolAs(name !== null || tags.length > 0)),
    async handle({ name, tags, seconds, uses, url }, { caller }) {
      const code = newCode();
      const now = clock.now();
      const times = { created_at: now, expires_at: now + seconds * 1_000 };
      const owner = kernel.use(Owners).of(caller);
      const row = { hash: hashOf(brand.salt, code), name, tags, owner, uses, ...times };
      const { pin, url: base } = await place.chosen(url);
      const key = await fingerprint();
      const id = await store.insert(row);
      const line = { base: base + brand.rewrite('/svc/enrol'), pin, code, key };
      const { expires_at } = times;
      const obstacle = (await place.obstacle(base)) ?? null;
      const lines = { line: curlLine(line), wget_line: wgetLine(line) };
      const machines_until = endOf(caller, kernel);
      return { id, code, expires_at, machines_until, ...lines, key, obstacle };
    },
  });
}

function addList(methods: Methods, { kernel, store }: Parts): void {
  methods.add('enrol_list', {
    summary: 'Enrolment codes, newest first: those of the caller, for the Super Token all.',
    addition: true,
    params: {},
    result: Type.Array(Listed),
    access: needs(() => mayEnrol),
    async handle(_none, { caller }) {
      const all = await store.all();
      return all
        .filter((code) => isOf(code, kernel, caller))
        .map((code) => ({ ...code, tags: [...code.tags] }));
    },
  });
}

function addRevoke(methods: Methods, { kernel, store }: Parts): void {
  methods.add('enrol_revoke', {
    summary: 'Ends a code. Machines that came with it keep their tokens.',
    addition: true,
    params: {
      id: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Id of a code, from 1 on.',
      }),
    },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ id }) => `code ${id}`,
    access: needs(() => mayEnrol),
    async handle({ id }, { caller }) {
      const code = await store.find(id);
      // Codes of others are as unknown as those that were never there.
      if (!code || !isOf(code, kernel, caller))
        throw RpcError.notFound(`there is no enrolment code ${id}`);
      await store.revoke(id, kernel.clock.now());
      return { success: true };
    },
  });
}

/** Returns when the token that makes a code ends, and with it the tokens of its machines; null: never, as the Super Token. */
function endOf(caller: CallContext['caller'], { use }: Kernel<Settings>): number | null {
  const end = use(Tokens).record(caller)?.timestamp_to ?? null;
  return caller.super || end === null ? null : Math.min(Number(end), LAST_MS);
}

const isOf = ({ owner }: Code, kernel: Kernel<Settings>, caller: CallContext['caller']): boolean =>
  caller.super || (owner !== null && owner === kernel.use(Owners).of(caller));
