import { createHash, randomUUID } from 'node:crypto';
import {
  type Auth,
  type Clock,
  type Counting,
  described,
  type Logger,
  type Methods,
  optional,
  type Principal,
  RpcError,
  Type,
} from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import { isOwners, outboxAnswer, testAnswer } from '../answers.ts';
import { type Message, SEVERITIES } from '../api.ts';
import { type Changes, noChannel } from '../changes.ts';
import type { Deliveries, Outcome, Target } from '../delivery/index.ts';
import { mayDo } from '../permissions.ts';
import { ChannelName, NewChannel, OutboxAnswer, TestAnswer } from '../schemas.ts';
import type { ChannelStore } from '../store/channels.ts';
import { type OutboxStore, STATES, TEXT, type Tried } from '../store/outbox.ts';
import { testMessage } from '../words/index.ts';
import { TestLimits } from './test-limits.ts';
import { addText } from './texts.ts';

export interface MessageMethodParts {
  readonly auth: Auth;
  /** Word by which messages call this server. */
  readonly brand: string;
  readonly clock: Clock;
  /** Transactions that count the texts of a token. */
  readonly counting: Counting;
  readonly log: Logger;
  readonly owners: Owners;
  readonly changes: Changes;
  readonly channels: ChannelStore;
  readonly outbox: OutboxStore;
  readonly deliveries: Deliveries;
  readonly wake: () => void;
}

const MOST_ROWS = 1_000;
const FEW_ROWS = 100;

/** `channel_test`, `_send`, `_outbox` and `_retry`. */
export function addMessageMethods(methods: Methods, parts: MessageMethodParts): void {
  addTest(methods, parts);
  addSend(methods, parts);
  addOutbox(methods, parts);
  addRetry(methods, parts);
}

function addTest(methods: Methods, parts: MessageMethodParts): void {
  const { brand, changes, clock, deliveries, owners } = parts;
  const limits = new TestLimits(clock);
  methods.add('channel_test', {
    summary: 'Sends one message over a channel, stored or not, and tells what the receiver said.',
    description:
      'Of a stored channel it is in `channel_outbox` afterwards: `sent`, or `dropped` with the reason. It is not sent again.',
    addition: true,
    params: {
      name: described(optional(ChannelName), 'A stored channel.'),
      channel: described(
        optional(NewChannel),
        'A channel as `channel_create` takes it, in the place of `name`.',
      ),
    },
    result: TestAnswer,
    audit: ({ name, channel }) => name ?? channel?.name,
    prepare: ({ name, channel }) => ({
      name: name ?? channel?.name ?? '',
      channel: channel ?? undefined,
      isOne: (name ?? undefined) === undefined ? !!channel : !channel,
    }),
    access: { needs: ({ name }) => mayDo('write', name) },
    check({ isOne }) {
      if (!isOne) throw RpcError.invalid('give either name or channel');
    },
    async handle({ name, channel }, { caller, signal }) {
      const target = channel ? unsaved(changes, channel, caller) : await stored(changes, name);
      const started = performance.now();
      const id = randomUUID();
      const { language, zone } = target;
      const message = testMessage({ name, brand, language, zone, now: clock.now() });
      const test = () => deliveries.send(target, id, message, signal);
      const tried = await limits.run(owners.of(caller), test);
      const ms = Math.round(performance.now() - started);
      if (target.id !== undefined)
        await keep({ channel: target.id, id, message }, tried.outcome, parts);
      return testAnswer(tried, ms, isOwners(owners, caller, target.owner));
    },
  });
}

/** Channel that is tested; `id`: of a stored one. */
type Tested = Target & { readonly id?: number };

function unsaved(
  changes: Changes,
  channel: Parameters<Changes['check']>[0],
  caller: Principal,
): Tested {
  const { settings, secret } = changes.check(channel, caller);
  return { ...settings, secret };
}

/** Shows a test in the outbox. It was sent: where that cannot be stored, its result is answered all the same. */
async function keep(
  tested: Pick<Tried, 'channel' | 'id' | 'message'>,
  outcome: Outcome,
  { clock, log, outbox }: MessageMethodParts,
): Promise<void> {
  const { status } = outcome;
  const error = outcome.kind === 'ok' ? null : outcome.error;
  try {
    await outbox.addTried({ ...tested, status, error }, clock.now());
  } catch (error) {
    log.warn('the test of a channel could not be stored', { channel: tested.channel, error });
  }
}

async function stored(changes: Changes, name: string): Promise<Tested> {
  const channel = await changes.channel(name);
  return { ...channel, secret: changes.secretOf(channel) };
}

function addSend(methods: Methods, parts: MessageMethodParts): void {
  const { changes, clock, outbox, owners, wake } = parts;
  methods.add('channel_send', {
    summary: 'Sends a text over a channel, at least once.',
    addition: true,
    params: {
      name: ChannelName,
      title: Type.String({ minLength: 1, maxLength: 200, description: 'Its first line.' }),
      text: Type.String({ maxLength: 4_000, description: 'The text; may be empty.' }),
      severity: described(optional(Type.Enum([...SEVERITIES])), 'Default: `info`.'),
      key: described(
        optional(Type.String({ minLength: 1, maxLength: 200 })),
        'Two calls of one caller with the same key are the same message.',
      ),
    },
    result: Type.Object({ message_id: Type.String() }),
    audit: ({ name, title }) => `${name}: ${title}`,
    access: { needs: ({ name }) => mayDo('use', name) },
    async handle({ name, title, text, severity, key }, { caller }) {
      const { id: channel } = await changes.channel(name);
      const batch = batchOf(caller, key);
      const message = textMessage({ title, text, severity: severity ?? 'info' }, clock.now());
      const row = { channel, batch, group_key: `${TEXT}${batch}`, message };
      await addText(row, owners.of(caller), parts);
      wake();
      const message_id = await outbox.idOf(channel, batch);
      if (message_id === undefined) throw noChannel(name);
      return { message_id };
    },
  });
}

const batchOf = ({ id }: Principal, key: string | null | undefined): string => {
  if (key === null || key === undefined) return `send ${randomUUID()}`;
  return `send ${createHash('sha256')
    .update(JSON.stringify([id, key]))
    .digest('hex')}`;
};

function addOutbox(methods: Methods, parts: MessageMethodParts): void {
  const { auth, channels, outbox, owners } = parts;
  const readable = async (caller: Principal): Promise<string[] | undefined> => {
    if (caller.super) return undefined;
    const names = (await channels.list()).map(({ name }) => name);
    const found: string[] = [];
    for (const name of new Set([...names, ...(await outbox.goneNames())]))
      if (await auth.allows(caller, mayDo('read', name))) found.push(name);
    return found;
  };
  methods.add('channel_outbox', {
    summary: 'Messages of the channels that the caller may read, newest first.',
    addition: true,
    params: {
      name: described(
        optional(ChannelName),
        'Name of the channel, which may be deleted. Absent: all channels.',
      ),
      state: described(optional(Type.Enum([...STATES])), 'Absent: all.'),
      limit: described(
        optional(Type.Integer({ minimum: 1, maximum: MOST_ROWS })),
        `Default: ${FEW_ROWS}.`,
      ),
    },
    result: Type.Array(OutboxAnswer),
    right: {
      words: 'any valid credential; `channel` `read` of each channel whose messages are answered',
    },
    access: {
      async custom({ name }, call) {
        const caller = await call.authenticate();
        if (!name) return;
        const wanted = mayDo('read', name);
        if (!(await auth.allows(caller, wanted))) throw RpcError.denied(wanted.denied);
      },
    },
    async handle({ name, state, limit }, { caller }) {
      const among = name ? [name] : await readable(caller);
      const asked = { channels: among, state: state ?? undefined, limit: limit ?? FEW_ROWS };
      const rows = await outbox.list(asked);
      return rows
        .filter(({ channel }) => channel !== null)
        .map((row) => outboxAnswer(row, isOwners(owners, caller, row.owner)));
    },
  });
}

function addRetry(methods: Methods, { changes, channels, wake }: MessageMethodParts): void {
  methods.add('channel_retry', {
    summary: 'Tries the messages of a channel that wait now, without waiting for its next turn.',
    addition: true,
    params: { name: ChannelName },
    result: Type.Object({ waiting: Type.Integer({ description: 'Messages that wait.' }) }),
    audit: ({ name }) => name,
    access: { needs: ({ name }) => mayDo('write', name) },
    async handle({ name }) {
      const { id } = await changes.channel(name);
      const waiting = await channels.retry(id);
      wake();
      return { waiting };
    },
  });
}

const textMessage = (
  given: { readonly title: string; readonly text: string; readonly severity: Message['severity'] },
  now: number,
): Message => ({
  ...{ type: 'text', sent_at: now, alerts: [], more: 0, ...given },
  group: { key: 'text', open: 0, closed: 0 },
});
