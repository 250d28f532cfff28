import { type Static, service, Type, topic } from '@svc/plugin-sdk';
import type { QueryBuilder } from '@svc/plugin-sdk/sql';
import type { KindField } from './schemas.ts';
import type { Sealed, SecretPlace, Values } from './secrets.ts';
import type { Severity } from './severity.ts';
import type { TemplateValues } from './template/index.ts';

export { type CheckedForm, checkFields } from './kinds/fields.ts';
export { TestLimits } from './methods/test-limits.ts';
export type { Sealed, SecretPlace, Values } from './secrets.ts';
export { SEVERITIES, type Severity } from './severity.ts';
export {
  fillTemplate,
  parseTemplate,
  type Template,
  TemplateError,
  type TemplateValues,
} from './template/index.ts';

/** Field of a form. */
export type FormField = Static<typeof KindField>;

/** Thing that an alert is about. */
export interface MessageSubject {
  /** `agent`, `monitor`, `server` or `channel`. */
  readonly kind: string;
  readonly id: string;
  /** Name that people gave it; foreign text. */
  readonly name: string;
  readonly tags: readonly string[];
}

/** Facts of a monitor that messages put into words. */
export interface MessageMonitor {
  readonly kind: string;
  /** Tells whether it has several places and only one of them knows. */
  readonly one_place: boolean;
  /** Unix ms at which its certificate ends; null: it has none. */
  readonly not_after: number | null;
}

/** One alert in a message. Texts that come from machines are foreign: they are cleaned and escaped for each kind of channel. */
export interface MessageAlert {
  /** Id of the alert and its episode, `12-3`: the same in the messages about its opening and its end. */
  readonly id: string;
  /** Name of the rule. */
  readonly rule: string;
  /** Source of the rule: `presence` is told as being offline. */
  readonly source?: string;
  readonly severity: Severity;
  readonly state: 'open' | 'closed' | 'acked';
  readonly subject: MessageSubject;
  /** Disk, interface or card; empty: the subject as a whole. */
  readonly part: string;
  /** Unix ms: when the condition began to hold. */
  readonly since: number;
  readonly closed_at: number | null;
  /** The measured value, as people read it (`96.2 %`), and what it was compared with; empty: none. */
  readonly value: string;
  readonly threshold: string;
  /** Text of the rule's template, filled in; empty: the channel's own words. */
  readonly summary: string;
  /** Template of a summary that holds times, and its values: each channel fills it in by its language and zone. `summary` is in English and UTC then. */
  readonly summary_form?: { readonly text: string; readonly values: TemplateValues };
  /** Facts of the monitor that it is about. */
  readonly monitor?: MessageMonitor;
  /** Default rule that it comes from, while it has the name it came with: it is told in the words of the channel's language. */
  readonly shipped?: string;
  /** Instructions of the operator. */
  readonly runbook: string;
  /** Address of the alert's page; empty where no public address is set. */
  readonly url: string;
  /** Address that acknowledges it without a log-in; empty: none. */
  readonly ack_url: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Alerts that this one suppresses: its disks, its checks, the machines below it. */
  readonly below: number;
  /** Reason of an end that is no recovery: `expired`; or a note of whoever acknowledged it. Empty: none. */
  readonly note: string;
  /** Name of whoever closed it by hand; absent: nobody did. */
  readonly closed_by?: string;
  /** Openings in the time before a message `alert.flapping`. */
  readonly flaps?: { readonly times: number; readonly ms: number };
}

export const MESSAGE_TYPES = [
  'alert.opened',
  'alert.closed',
  'alert.reminder',
  'alert.acked',
  'alert.flapping',
  'digest',
  'text',
  'test',
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** Content of a message, before a channel's kind, language and time zone give it a form. At most 16 kB as JSON. */
export interface Message {
  readonly type: MessageType;
  /** Unix ms. */
  readonly sent_at: number;
  /** Group of alerts that are told together: `key` is stable; `open` counts everything that is still open in it and was told to the channel, `closed` what this message tells the end of. */
  readonly group: { readonly key: string; readonly open: number; readonly closed: number };
  /** Alerts of the message, at most ten. */
  readonly alerts: readonly MessageAlert[];
  /** Further alerts that are not listed. */
  readonly more: number;
  readonly severity: Severity;
  /** Text of the types `text` and `test`. */
  readonly title?: string;
  readonly text?: string;
}

/** A message for one channel. */
export interface Outgoing {
  /** `Channel.id` */
  readonly channel: number;
  /** Id of the decision to send: with the channel it is unique, so that a repeated decision adds nothing. */
  readonly batch: string;
  /** Messages with the same text are sent in their order: the id of an alert or of a group. */
  readonly group_key: string;
  readonly message: Message;
}

/** A channel as other plugins see it: no secret, no address. */
export interface Channel {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
  readonly enable: boolean;
  /** Unix ms; null: it works. */
  readonly failing_since: number | null;
}

/** Delivery of one message, for the page of an alert. */
export interface Delivery {
  readonly batch: string;
  readonly channel: string;
  readonly state: 'waiting' | 'sent' | 'dropped' | 'merged';
  readonly created_at: number;
  readonly sent_at: number | null;
  /** Status of the answer; null: there was none. */
  readonly status: number | null;
  readonly tries: number;
}

/** Sends messages to people: at least once while the channel works within a day. */
export interface Notify {
  /** Returns all channels by name, as the database has them now. @throws RpcError 103 */
  channels(): Promise<readonly Channel[]>;
  /** Tells whether this owner (`Owners.of`) may send through the channel of this name. */
  mayUse(owner: string | null, name: string): Promise<boolean>;
  /** Adds messages in the transaction of the change that they tell of. A repeated `batch` of a channel adds nothing. */
  add(trx: QueryBuilder, messages: readonly Outgoing[]): Promise<void>;
  /** Has the sender look at the outbox now: after the commit of `add`. */
  wake(): void;
  /** Deliveries of these batches. @throws RpcError 103 */
  deliveries(batches: readonly string[]): Promise<readonly Delivery[]>;
  /** Address of the dashboard for links, without a slash at the end; undefined: none is known. */
  publicUrl(): Promise<string | undefined>;
  /** Drops what waits in a database that was just restored from a copy: it may have been sent long ago. @returns how many; undefined: it has no outbox */
  restored(): Promise<number | undefined>;
}

export const Notify = service<Notify>('notify');

/** Seals secrets with the key of `[notify] key_file`, for plugins that keep some. */
export interface Secrets {
  /** Reads the key, as the start of a server does: for commands. @throws RpcError 103 */
  open(): Promise<void>;
  /** Reason why this server has no key; undefined: it has. */
  readonly problem: string | undefined;
  /** Names rows that are sealed with the key, as an SQL condition `exists (…)`, in `setup`: while there are some, no other key takes its place. */
  keep(exists: string): void;
  /** Compares the key of the file with that of the database, and takes none: for `doctor`. @returns what is wrong; undefined: nothing @throws RpcError 103 */
  look(): Promise<string | undefined>;
  /** Demands the key, before something is sealed. @throws RpcError 103, 107 without the key */
  demand(): Promise<void>;
  /** Seals each value for its place; another plugin's `kind` begins with its name, so that no value opens elsewhere. @throws RpcError 107 */
  seal(place: SecretPlace, values: Values): Sealed;
  /** Opens what `seal` made. @throws RpcError 107; Error for another key or place */
  unseal(place: SecretPlace, sealed: Sealed): Values;
}

export const Secrets = service<Secrets>('secrets');

/** Channels were created, changed or deleted, or one began or ceased to fail. */
export const ChannelChanged = topic(
  'channel.changed',
  Type.Object({ name: Type.String(), failing: Type.Boolean() }),
);
