import {
  type CallContext,
  type Methods,
  optional,
  type Principal,
  RpcError,
  type Static,
  Type,
} from '@svc/plugin-sdk';
import { KeyedQueue } from '@svc/plugin-sdk/util';
import type { Components } from '../components.ts';
import { newKey, newSecret } from '../login/credential.ts';
import { stampOf } from '../records/store.ts';
import { type Token, tokenOf } from '../records/token.ts';
import { INVISIBLE } from '../rights/reserved-names.ts';
import { SessionCreated, SessionList, Target } from '../schemas.ts';
import { sessionOf } from '../sessions/session.ts';
import { isOwnTarget, nameIn, notFound } from './targets.ts';

const HOUR_MS = 3_600_000;
const ALL = 'all';

/** Allows the caller its own sessions, and the Super Token any. @throws RpcError 102 */
async function checkTarget(
  { store }: Components,
  target: string | null | undefined,
  caller: Principal,
): Promise<void> {
  if (typeof target !== 'string' || caller.super) return;
  if (await isOwnTarget(store, caller, target)) return;
  throw RpcError.denied('Only SuperToken can reach the sessions of another token');
}

/** Namespace `session`, additions: short-lived credentials with the caller's rights. */
export function addSessions(methods: Methods, components: Components): void {
  /** Returns the target token, by default the caller's. @throws RpcError 105, 108 */
  async function targetToken(target: string | null | undefined, caller: Principal): Promise<Token> {
    const own = tokenOf(caller);
    if (typeof target !== 'string') {
      if (!own) throw RpcError.invalid('the caller is no token, so it has no sessions');
      return own;
    }
    const found = await components.lookups.byName(target);
    if (!found) throw notFound(target);
    return found;
  }

  addCreate(methods, components, targetToken);
  addList(methods, components, targetToken);
  addRevoke(methods, components, targetToken);
}

type TargetToken = (target: string | null | undefined, caller: Principal) => Promise<Token>;

function addCreate(methods: Methods, components: Components, tokenAt: TargetToken): void {
  // Creations for one token queue here: in the queue for the table's lock they would delay a change of its rights.
  const queue = new KeyedQueue();
  methods.add('session_create', {
    summary: 'Make a short-lived credential with the rights of the caller.',
    description:
      'For pages and programs that are to keep no password: `key:secret` is a credential for every method. It has the rights that ' +
      'its token has at each moment, and ends with the secret, password or validity of that token.',
    addition: true,
    params: {
      name: optional(
        Type.String({
          maxLength: 100,
          description: 'What people know it by: a browser, a machine.',
        }),
      ),
      hours: optional(
        Type.Number({
          exclusiveMinimum: 0,
          description:
            'How long it lasts: `session_hours` under `[token]` without, `max_session_hours` at most.',
        }),
      ),
    },
    result: SessionCreated,
    audit: ({ name }, made) => (made as { key: string } | undefined)?.key ?? name ?? '',
    secret: true,
    access: 'authenticated',
    check({ name }, { caller }) {
      if (sessionOf(caller)) {
        throw RpcError.denied('A session creates no sessions: give the token or password itself');
      }
      if (typeof name === 'string' && INVISIBLE.test(name)) {
        throw RpcError.invalid('name holds a control character or one that cannot be seen');
      }
    },
    async handle({ name, hours }, { caller, log }) {
      const made = await queue.run(caller.id, async () =>
        create(components, await tokenAt(undefined, caller), { name: name ?? '', hours }),
      );
      log.info('session created', { token_key: caller.id, session: made.key });
      return made;
    },
  });
}

/** @throws RpcError 102, 103 */
async function create(
  { sessionStore, refresh, clock, ...components }: Components,
  token: Token,
  { name, hours }: { readonly name: string; readonly hours?: number | null | undefined },
): Promise<Static<typeof SessionCreated>> {
  const { session_hours, max_session_hours, max_sessions } = components.sessionLimits();
  const [key, secret, made_at] = [newKey(), newSecret(), clock.now()];
  const lasts_ms = Math.ceil(Math.min(hours ?? session_hours, max_session_hours) * HOUR_MS);
  const ends_at = Math.min(
    made_at + lasts_ms,
    Number(token.validUntil ?? Number.POSITIVE_INFINITY),
  );
  const row = {
    session_key: key,
    session_hash: components.hashSecret(secret),
    parent: token.key,
    stamp: stampOf(token.row),
    name,
    made_at,
    ends_at,
    used_at: made_at,
    used_from: '',
  };
  if (!(await sessionStore.insert(row, max_sessions))) {
    throw RpcError.denied('the token was changed at this moment: log in again');
  }
  await refresh.changed({ id: token.id });
  return { key, secret, made_at, ends_at };
}

function addList(methods: Methods, components: Components, tokenAt: TargetToken): void {
  methods.add('session_list', {
    summary: 'List the sessions of the caller, newest first.',
    description: 'The Super Token may name another token.',
    addition: true,
    params: { target_token: optional(Target) },
    result: SessionList,
    access: 'authenticated',
    check: ({ target_token }, { caller }) => checkTarget(components, target_token, caller),
    async handle({ target_token }, { caller }) {
      const { key: token_key, id } = await tokenAt(target_token, caller);
      const current = sessionOf(caller)?.key;
      const sessions = (await activeSessions(components, id)).map((row) => ({
        key: row.session_key,
        name: row.name,
        made_at: row.made_at,
        ends_at: row.ends_at,
        used_at: row.used_at,
        used_from: row.used_from,
        current: row.session_key === current,
      }));
      return { token_key, sessions };
    },
  });
}

async function activeSessions({ sessionStore, clock }: Components, id: number) {
  const now = clock.now();
  const rows = (await sessionStore.ofTokens(id)).filter(
    ({ matchesStamp, ends_at }) => matchesStamp && ends_at >= now,
  );
  return rows.sort((a, b) => b.made_at - a.made_at || (a.session_key < b.session_key ? -1 : 1));
}

function addRevoke(methods: Methods, components: Components, tokenAt: TargetToken): void {
  /** Revokes a session of the caller, or any for the Super Token. @returns record id of its token */
  async function revokeOne(key: string, { caller }: CallContext): Promise<number> {
    const { sessionStore } = components;
    const owner = await sessionStore.ownerOf(key);
    const isReached = owner !== undefined && (caller.super || owner === tokenOf(caller)?.id);
    if (!isReached || (await sessionStore.remove([key])) === 0) {
      throw RpcError.notFound(`Session not found: ${key}`);
    }
    return owner;
  }

  methods.add('session_revoke', {
    summary: 'End a session of the caller, or all of them.',
    description:
      'Give either `key` or `all: true`. Subscriptions and terminals end with them, on every server. The Super Token may name any session or token.',
    addition: true,
    params: {
      key: optional(Type.String({ description: 'Of the session: the part before the `:`.' })),
      all: optional(Type.Boolean({ description: 'Log out everywhere.' })),
      target_token: optional(Target),
    },
    result: Type.Object({ revoked: Type.Integer({ description: 'Sessions that ended.' }) }),
    audit: ({ key, all, target_token }) => nameIn(key ?? (all ? (target_token ?? ALL) : '')),
    access: 'authenticated',
    check({ key, all, target_token }, { caller }) {
      if ((typeof key === 'string') === (all === true)) {
        throw RpcError.invalid('give either the key of a session or all: true');
      }
      return checkTarget(components, target_token, caller);
    },
    async handle({ key, target_token }, call) {
      let [id, revoked] = [0, 1];
      if (typeof key === 'string') id = await revokeOne(key, call);
      else {
        ({ id } = await tokenAt(target_token, call.caller));
        const found = await activeSessions(components, id);
        revoked = await components.sessionStore.remove(found.map(({ session_key }) => session_key));
      }
      await components.refresh.changed({ id });
      call.log.info('sessions ended', { id, revoked });
      return { revoked };
    },
  });
}
