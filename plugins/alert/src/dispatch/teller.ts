import type { Channel, MessageAlert, MessageType } from '@svc/plugin-notify/api';
import { newLink } from '../ack/key.ts';
import { nameOfSubject } from '../subjects.ts';
import type { Alert, Rule } from '../types.ts';
import { inOrder, LISTED, type Line, messageOf } from './message.ts';
import { openCounts } from './open-counts.ts';
import type { DispatchParts } from './parts.ts';
import { placeOf, type Told } from './store.ts';
import { keyOfMachine, keyOfMonitor } from './suppress.ts';
import type { Decision } from './work.ts';

/** One alert of a message, and the channels that hear of it. */
export interface Telling {
  readonly alert: Told;
  readonly rule: Rule;
  readonly channels: readonly Channel[];
  readonly episode: number;
  readonly since: number;
  readonly closed_at: number | null;
  readonly value: number | null;
  readonly note: string;
  /** Name of whoever closed it by hand. */
  readonly closed_by?: string | undefined;
  readonly flaps?: MessageAlert['flaps'];
}

export interface Batch {
  readonly type: MessageType;
  /** Id of the decision. */
  readonly batch: string;
  /** Key of the group. */
  readonly key: string;
  readonly title?: string | undefined;
}

/** Channels that hear, and the names of those that the rule's owner may not use any more. */
export interface Hearing {
  readonly channels: readonly Channel[];
  readonly withheld: readonly string[];
}

/** Writes messages for the channels. Lives as long as one round of the dispatcher. */
export class Teller {
  readonly #parts: DispatchParts;
  readonly #now: number;
  #all: Promise<readonly Channel[]> | undefined;
  #url: Promise<string | undefined> | undefined;
  readonly #uses = new Map<string, boolean>();

  constructor(parts: DispatchParts, now: number) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Channels of these names; what is sent through one that is off waits. */
  byName(names: readonly string[], rule: Pick<Rule, 'owner'>): Promise<Hearing> {
    return this.#hearing(({ name }) => names.includes(name), rule);
  }

  /** Channels of these ids that are there still. */
  byId(ids: readonly number[], rule: Pick<Rule, 'owner'>): Promise<Hearing> {
    return this.#hearing(({ id }) => ids.includes(id), rule);
  }

  async #hearing(
    isIn: (channel: Channel) => boolean,
    { owner }: Pick<Rule, 'owner'>,
  ): Promise<Hearing> {
    const channels: Channel[] = [];
    const withheld: string[] = [];
    for (const channel of (await this.#channels()).filter(isIn)) {
      if (await this.#mayUse(owner, channel.name)) channels.push(channel);
      else withheld.push(channel.name);
    }
    return { channels, withheld };
  }

  /** Tells whether what was decided for a channel (by its name) was dropped, all of it. @throws RpcError 103 */
  async losses(
    batches: readonly string[],
  ): Promise<(batches: readonly string[], channel: string) => boolean> {
    const deliveries =
      batches.length > 0 ? await this.#parts.notify.deliveries([...new Set(batches)]) : [];
    const states = new Map(
      deliveries.map(({ batch, channel, state }) => [JSON.stringify([batch, channel]), state]),
    );
    return (some, channel) => {
      const own = some.flatMap((batch) => states.get(JSON.stringify([batch, channel])) ?? []);
      return own.length > 0 && own.every((state) => state === 'dropped');
    };
  }

  /** Adds a message for each channel that hears of one of the alerts. */
  async tell(
    all: readonly Telling[],
    batch: Batch,
    below: ReadonlyMap<string, number>,
    to: Decision,
  ): Promise<void> {
    const url = await this.#publicUrl();
    const byChannel = new Map<number, Telling[]>();
    for (const telling of all) {
      for (const { id } of telling.channels) {
        const told = byChannel.get(id) ?? [];
        told.push(telling);
        byChannel.set(id, told);
      }
    }
    const [first] = all;
    const known =
      first && byChannel.size > 0 ? await openCounts(this.#parts, first, batch.key) : new Map();
    const ackUrls = new Map<Telling, string>();
    for (const [channel, told] of byChannel) {
      const lines = inOrder(
        told.map((telling) => ({ ...this.#line(telling, url, below), telling })),
      );
      const shown = lines.map(({ telling, ...line }, place): Line => {
        const ack_url = place < LISTED ? this.#ackUrl(telling, url, ackUrls, to) : '';
        return { ...line, ack_url };
      });
      const { key, type, title } = batch;
      const isNew = ({ alert, closed_at }: Telling) =>
        closed_at === null && !alert.told?.includes(channel);
      const open = (known.get(channel) ?? 0) + told.filter(isNew).length;
      const message = messageOf({ type, key, lines: shown, open, now: this.#now, title });
      to.outgoing.push({ channel, batch: batch.batch, group_key: key, message });
    }
  }

  #line(telling: Telling, url: string | undefined, below: ReadonlyMap<string, number>): Line {
    const { machines, pagePath, valueText } = this.#parts;
    const { alert, rule, episode, since, closed_at, value, note, closed_by, flaps } = telling;
    const isAgent = alert.subject_kind === 'agent';
    const name = nameOfSubject(alert, this.#parts);
    const tags = isAgent ? machines.tagsOf(alert.subject_id) : (alert.detail.tags ?? []);
    return {
      ...{ alert, rule, episode, since, closed_at, name, tags, note, closed_by, flaps },
      value:
        value === null
          ? (alert.detail.monitor?.detail ?? '')
          : valueText({ ...alert, value }, rule),
      below: belowOf(suppressorKeyOf(telling), below),
      url: url === undefined ? '' : url + pagePath(alert),
      ack_url: '',
    };
  }

  /** One link for an alert in all messages of the batch. */
  #ackUrl(
    telling: Telling,
    url: string | undefined,
    made: Map<Telling, string>,
    to: Decision,
  ): string {
    const { alert, closed_at } = telling;
    if (url === undefined || closed_at !== null || alert.acked_at !== null) return '';
    const old = made.get(telling);
    if (old !== undefined) return old;
    const { key, link } = newLink(alert, this.#now);
    const address = `${url}${this.#parts.ackPath}/${key}`;
    to.links.push(link);
    made.set(telling, address);
    return address;
  }

  async #mayUse(owner: string | null, name: string): Promise<boolean> {
    if (owner === null) return true;
    const key = JSON.stringify([owner, name]);
    const known = this.#uses.get(key);
    if (known !== undefined) return known;
    const may = await this.#parts.notify.mayUse(owner, name);
    this.#uses.set(key, may);
    return may;
  }

  #channels(): Promise<readonly Channel[]> {
    this.#all ??= this.#parts.notify.channels();
    return this.#all;
  }

  #publicUrl(): Promise<string | undefined> {
    this.#url ??= this.#parts.notify.publicUrl();
    return this.#url;
  }
}

/** Number of alerts that one hides by being their cause: the weaker rule of the same place is nothing further. */
const belowOf = (key: string, below: ReadonlyMap<string, number>): number =>
  key.startsWith('rule:') ? 0 : (below.get(key) ?? 0);

/** Key under which an alert suppresses others (`suppress.ts`). */
export const suppressorKeyOf = ({
  alert,
  rule,
}: {
  readonly alert: Alert;
  readonly rule: Rule;
}): string => {
  if (rule.source === 'presence') return keyOfMachine(alert.subject_id);
  const isDown = rule.source === 'monitor' && alert.detail.values?.['state'] === 'down';
  return isDown ? keyOfMonitor(alert.subject_id) : `rule:${rule.id}:${placeOf(alert)}`;
};
