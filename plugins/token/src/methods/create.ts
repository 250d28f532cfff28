import { type Methods, type Right, RpcError, type Static } from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { looksLikeKey, newKey, newSecret } from '../login/credential.ts';
import { checkPassword } from '../passwords/policy.ts';
import { type NewToken, orDatabaseError } from '../records/store.ts';
import { tokenOf } from '../records/token.ts';
import { mayCreate } from '../rights/delegation.ts';
import { demandSize } from '../rights/limit-size.ts';
import { parseLimits } from '../rights/limits.ts';
import { denyReserved } from '../rights/reserved-names.ts';
import { KeyAndSecret, TokenCreation } from '../schemas.ts';
import { authenticatedOrDenied } from './access.ts';

const DENIED = 'Permission Denied: Only Super Token can create new tokens';

type Creation = Static<typeof TokenCreation>;

const right: Right = {
  words:
    'the Super Token, or `token` `create` of a caller whose limits and validity cover those of the new token',
  scopes: ['global'],
  permissions: [{ token: 'create' }],
};

/** `token_create` (token.md §4); `{"token":"create"}` lets a caller create narrower tokens (auth.md §10). */
export function addCreate(methods: Methods, components: Components): void {
  methods.add('token_create', {
    summary: 'Create a token, and an account when username and password are given.',
    credential: 'father_token',
    params: { token_creation: TokenCreation },
    result: KeyAndSecret,
    audit: ({ token_creation: { username } }, made) =>
      username ?? (made as Static<typeof KeyAndSecret> | undefined)?.key ?? '',
    secret: true,
    prepare: ({ token_creation }) => wantedOf(token_creation, components),
    right,
    access: {
      async custom(wanted, call) {
        const caller = await authenticatedOrDenied(DENIED, () => call.authenticate());
        const parent = tokenOf(caller);
        if (caller.super) return;
        if (!(parent && (await mayCreate(parent, wanted)))) throw RpcError.denied(DENIED);
        if (typeof wanted.username === 'string') denyReserved(wanted.username);
      },
    },
    async handle({ limits, timestamp_from, timestamp_to, ...given }, { caller, log }) {
      const key = newKey();
      const secret = newSecret();
      const parent = components.owners.of(caller);
      // Refuse before the work of a slow hash.
      if (given.password != null)
        await components.holdings.demandRoom({ kind: 'token', owner: parent });
      const record = {
        token_key: key,
        token_hash: components.hashSecret(secret),
        time_stamp_from: timestamp_from,
        time_stamp_to: timestamp_to,
        token_limit: JSON.stringify(limits),
        parent,
        ...(await accountOf(given, components)),
      };
      const id = await components.store.insert(record, components.holdings);
      await components.refresh.changed({ id }, 1);
      log.info('token created', { token_key: key, by: caller.id });
      return { key, secret };
    },
  });
}

/** @throws RpcError -32602 */
function wantedOf({ token_limit, ...given }: Creation, { vocabulary }: Components) {
  demandSize(token_limit, 'token_creation.token_limit');
  return {
    ...given,
    timestamp_from: given.timestamp_from ?? null,
    timestamp_to: given.timestamp_to ?? null,
    limits: parseLimits(token_limit, vocabulary),
  };
}

type Account = Pick<NewToken, 'username' | 'password_hash'>;

/** Columns of the account: both or neither. @throws RpcError 101, 108 for an empty password */
async function accountOf(
  { username, password }: Pick<Creation, 'username' | 'password'>,
  components: Components,
): Promise<Account> {
  if (typeof username === 'string' && typeof password === 'string') {
    checkPassword(password, components.passwordPolicy(), 'Password');
    if (username.includes('\0')) throw RpcError.zero();
    await refuseKey(username, components);
    return { username, password_hash: await components.hashPassword(password) };
  }
  if (typeof username !== typeof password && (username ?? password ?? null) !== null) {
    throw RpcError.parse('Username and Password must be both provided or both absent');
  }
  return { username: null, password_hash: null };
}

/** Refuses a name that is a key: it would mean the other token. @throws RpcError 108 */
async function refuseKey(username: string, { store }: Components): Promise<void> {
  const isKey = looksLikeKey(username) || (await orDatabaseError('', store.isKey(username)));
  if (!isKey) return;
  throw RpcError.invalid(
    'username has the form of a token key: make it shorter or longer than 16 characters, or use a character that is no letter or digit',
  );
}
