import { type Static, Type } from '@svc/plugin-sdk';

/** Schema of the section `[token]`; each key is taken over by a reload. */
export const config = Type.Object({
  password_kdf: Type.Union([Type.Literal('sha256'), Type.Literal('scrypt')], {
    default: 'scrypt',
    description:
      'Stored form of new passwords; scrypt also upgrades old ones at their next login, as soon as no older server is on the database.',
  }),
  password_policy: Type.Union([Type.Literal('strong'), Type.Literal('off')], {
    default: 'strong',
    description:
      'New passwords: strong asks for eight characters and refuses the 10,000 commonest; off takes any for a new token, and six bytes or more for a change, as the protocol does. Passwords that exist go on.',
  }),
  on_delete: Type.Union([Type.Literal('keep'), Type.Literal('suspend')], {
    default: 'keep',
    description:
      'What hangs on a token that is deleted or expires (tokens that it created, jobs, workers, routes, buckets): ' +
      'keep lets it go on, suspend stops it.',
  }),
  max_children: Type.Integer({
    default: 1_000,
    minimum: 0,
    description:
      'Tokens that one token may have created, with those that these created; the Super Token has no such limit.',
  }),
  max_child_bytes: Type.Integer({
    default: 16_777_216,
    minimum: 0,
    description: 'Bytes of the limits of those tokens together; 0: no limit.',
  }),
  session_hours: Type.Number({
    default: 12,
    exclusiveMinimum: 0,
    description: 'Hours that a session lasts when the caller names no other number.',
  }),
  max_session_hours: Type.Number({
    default: 720,
    exclusiveMinimum: 0,
    description: 'Hours that a session lasts at most.',
  }),
  max_sessions: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 10_000,
    description: 'Sessions that one token may have; with one more the oldest ends.',
  }),
});

export type TokenConfig = Readonly<Static<typeof config>>;
