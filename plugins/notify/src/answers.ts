import type { Principal, Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Message } from './api.ts';
import type { Tried } from './delivery/index.ts';
import type { Kind } from './kinds/index.ts';
import type { ChannelAnswer, KindAnswer, OutboxAnswer, TestAnswer } from './schemas.ts';
import type { Waiting } from './store/channels.ts';
import { type OutboxRow, STATES } from './store/outbox.ts';

/** Tells whether a caller may see what the receiver said: it may repeat what it was sent. */
export const isOwners = (owners: Owners, caller: Principal, owner: string | null): boolean =>
  caller.super || (owner !== null && owners.of(caller) === owner);

const NO_RIGHT =
  'the token that owns it may not write it any more, so its messages wait: save it with another one';

/** A channel without its secrets; `own`: for its owner; `mayWrite`: the owner may. */
export function channelAnswer(
  channel: Waiting,
  { own, mayWrite }: { readonly own: boolean; readonly mayWrite: boolean },
): Static<typeof ChannelAnswer> {
  const { name, kind, config, sealed, language, zone, enable, owner, last_error } = channel;
  const set = Object.keys(sealed).map((field) => [field, { set: true }]);
  return {
    ...{ name, kind, config: { ...config }, secret: Object.fromEntries(set) },
    ...{ language, zone, enable },
    ...(owner !== null && { owner }),
    ...{ created_at: channel.created_at, updated_at: channel.updated_at },
    ...{ failing_since: channel.failing_since, last_ok_at: channel.last_ok_at },
    ...{ last_status: channel.last_status, last_error: own ? last_error : null },
    ...{ sent: channel.sent, failed: channel.failed, dropped: channel.dropped },
    waiting: channel.waiting,
    problem: mayWrite ? null : NO_RIGHT,
  };
}

export function outboxAnswer(row: OutboxRow, own: boolean): Static<typeof OutboxAnswer> {
  const message = JSON.parse(row.body) as Message;
  return {
    ...{ id: row.id, channel: row.channel ?? '', message_id: row.message_id, type: message.type },
    title: titleOf(message),
    severity: message.severity,
    state: STATES[row.state] ?? 'dropped',
    ...{
      tries: row.tries,
      due: row.due || row.created_at,
      created_at: row.created_at,
      sent_at: row.sent_at,
    },
    ...{ status: row.status, last_error: own ? row.last_error : null },
  };
}

/** Gist of a message for lists; the channel has its own words. */
function titleOf({ title, alerts, more }: Message): string {
  if (title !== undefined) return title;
  const [first] = alerts;
  if (!first) return '';
  const others = alerts.length - 1 + more;
  const text = `${first.rule}: ${first.subject.name}${first.part && ` ${first.part}`}`;
  return others > 0 ? `${text} (+${others})` : text;
}

export function testAnswer(
  { host, outcome }: Tried,
  ms: number,
  own: boolean,
): Static<typeof TestAnswer> {
  const ok = outcome.kind === 'ok';
  const status = outcome.status;
  const refused = `it was not taken${status === null ? '' : `: status ${status}`}`;
  const message = ok
    ? 'The message was taken.'
    : own
      ? (outcome as { error: string }).error
      : refused;
  return { ok, host, status, ms, message };
}

/** The form of a kind. */
export const kindAnswer = (kind: Kind): Static<typeof KindAnswer> => ({
  ...{ kind: kind.kind, title: kind.title, summary: kind.summary },
  fields: kind.fields.map(({ host: _host, base: _base, ...field }) => ({
    ...field,
    ...(field.choices && { choices: [...field.choices] }),
  })) as Static<typeof KindAnswer>['fields'],
  ...(kind.priorities && { priorities: { ...kind.priorities } }),
  ...(kind.example_url !== undefined && { example_url: kind.example_url }),
});
