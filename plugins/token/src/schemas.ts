import { optional, type Permission, type Scope, Type } from '@svc/plugin-sdk';
import { Int32, Int64 } from '@svc/plugin-sdk/schemas';
import { MAX_SIZE } from './rights/limit-size.ts';

/** Description of limit entries. Kinds and scopes are data of the enabled plugins, so `parseLimits` checks them. */
const ENTRIES = `Limit entries {scopes, permissions}; at most ${MAX_SIZE.items} scopes and permissions together.`;
const limitsOf = (maxItems: number, description: string) =>
  Type.Unsafe<unknown>(Type.Array(Type.Unknown(), { maxItems, description }));
export const Limits = limitsOf(MAX_SIZE.entries, ENTRIES);
/** Limit for `token_edit`: one from before the bounds may be changed to a smaller one. */
export const ChangedLimits = limitsOf(
  1_000_000,
  `${ENTRIES} More than ${MAX_SIZE.entries} entries, or more of both, only in place of a limit from before 0.9.0 that has as many.`,
);

const Timestamp = Type.Union([Int64, Type.Null()], { description: 'Unix ms, null: no bound.' });

/** A record as `token_get` and `token_list_all_tokens` show it (token.md §2). */
export const TokenObject = Type.Object({
  version: Type.Literal(1),
  token_key: Type.String(),
  timestamp_from: Timestamp,
  timestamp_to: Timestamp,
  token_limit: Type.Array(Type.Unknown()),
  username: Type.Union([Type.String(), Type.Null()]),
});

/** Second parameter of `token_create`; unknown members are ignored. */
export const TokenCreation = Type.Object(
  {
    token_limit: Limits,
    username: optional(Type.String()),
    password: optional(Type.String()),
    timestamp_from: optional(Int64),
    timestamp_to: optional(Int64),
    version: optional(Int32),
  },
  { description: 'Rights, validity and login of the new token.' },
);

export const Target = Type.String({ description: 'Token key or username.' });

export const PasswordChanged = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
});

/** Key and secret: the only answer that shows a secret. */
export const KeyAndSecret = Type.Object({ key: Type.String(), secret: Type.String() });

const OneScope = Type.Unsafe<Scope>(Type.Unknown({ description: 'As in a limit entry.' }));
const OnePermission = Type.Unsafe<Permission>(
  Type.Unknown({ description: 'As in a limit entry.' }),
);

/** Result of `token_explain`. */
export const Explanation = Type.Object({
  method: Type.String(),
  token_key: Type.String(),
  allowed: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'null: only the call itself can decide.',
  }),
  reason: Type.String({ description: 'One sentence.' }),
  requirements: Type.Array(
    Type.Object({
      allowed: Type.Boolean(),
      pairs: Type.Array(
        Type.Object({
          scope: OneScope,
          permission: OnePermission,
          entry: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
            description: 'Index of the first entry that gives the pair; null: none does.',
          }),
        }),
        { description: 'At most 1,000.' },
      ),
      missing: Type.Array(
        Type.Object({ scopes: Type.Array(OneScope), permissions: Type.Array(OnePermission) }),
        { description: 'Entries that the limit lacks; at most 1,000.' },
      ),
    }),
    { description: 'One of them is enough. Every pair of it must be given by some entry.' },
  ),
});

const At = (description: string) => Type.Integer({ description });
const SessionKey = Type.String({ description: 'Names the session; no secret.' });

/** Result of `session_create`: the only time that the secret is visible. */
export const SessionCreated = Type.Object({
  key: SessionKey,
  secret: Type.String(),
  made_at: At('Unix ms.'),
  ends_at: At('Unix ms, its last.'),
});

/** Result of `session_list`. */
export const SessionList = Type.Object({
  token_key: Type.String(),
  sessions: Type.Array(
    Type.Object({
      key: SessionKey,
      name: Type.String(),
      made_at: At('Unix ms.'),
      ends_at: At('Unix ms, its last.'),
      used_at: At('Unix ms of a use, some six hours old at most.'),
      used_from: Type.String({ description: 'Address of that use; empty before the first.' }),
      current: Type.Boolean({ description: 'This call came with it.' }),
    }),
  ),
});
