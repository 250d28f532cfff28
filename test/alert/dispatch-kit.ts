/** A dispatcher over the tables of a real server, with rules, machines and a time that the test decides. */
import { randomUUID } from 'node:crypto';
import type { Message } from '@svc/plugin-notify/api';
import { uncounted } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { Dispatcher } from '../../plugins/alert/src/dispatch/dispatcher.ts';
import { LastHeard } from '../../plugins/alert/src/dispatch/heard.ts';
import type { DispatchParts } from '../../plugins/alert/src/dispatch/parts.ts';
import type { NewPolicy } from '../../plugins/alert/src/policies/store.ts';
import { Settings } from '../../plugins/alert/src/settings.ts';
import { StoredTransitions } from '../../plugins/alert/src/store/transitions.ts';
import type { Alert, AlertKey, Matcher, Policy, Rule } from '../../plugins/alert/src/types.ts';
import { create, notifyOf, webhook } from '../notify/kit.ts';
import { kernelOf } from '../shared-servers.ts';
import { PLUGINS } from './kit.ts';

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const T0 = Date.UTC(2026, 2, 3, 12, 0, 0);
/** Nothing listens there: what is sent is read from the outbox. */
const NOWHERE = 'http://127.0.0.1:9/';
const URL = 'https://fleet.example.net';

export const CHANNELS = ['A', 'B'] as const;

export interface Sent {
  readonly channel: string;
  /** Seconds since `T0`. */
  readonly at: number;
  readonly message: Message;
}

export class Stage {
  readonly app: TestApp;
  now = T0;
  readonly rules: Rule[] = [];
  readonly away = new Map<string, number>();
  readonly parents = new Map<string, string>();
  readonly tags = new Map<string, string[]>();
  readonly heard = new LastHeard();
  fleet = 1_000;
  mayTell: DispatchParts['mayTell'] = () => true;
  /** Runs before the next decision is stored. */
  before: (() => Promise<void>) | undefined;
  readonly settings: Settings;
  readonly transitions: StoredTransitions;
  readonly parts: DispatchParts;
  dispatcher: Dispatcher;
  #seen = 0;
  #names = new Map<number, string>();

  private constructor(app: TestApp) {
    this.app = app;
    const { db, log } = kernelOf(app);
    const clock = { ...kernelOf(app).clock, now: () => this.now, monotonic: () => this.now };
    const ruleOf = (id: number) => this.rules.find((rule) => rule.id === id);
    this.settings = new Settings(db, clock, {
      counting: uncounted(db),
      mayShow: async () => true,
      isSuspended: () => false,
    });
    this.transitions = new StoredTransitions({ db, clock, log, ruleOf, onMade() {} });
    const notify = notifyOf(app);
    this.parts = {
      ...{ db, clock, log, settings: this.settings },
      notify: {
        channels: () => notify.channels(),
        mayUse: async (owner, name) => owner !== 'stranger' || name === 'B',
        add: async (trx, messages) => {
          await this.before?.();
          await notify.add(trx, messages);
        },
        wake() {},
        deliveries: (batches) => notify.deliveries(batches),
        publicUrl: async () => URL,
        restored: () => notify.restored(),
      },
      rules: { list: () => this.rules, byId: ruleOf },
      machines: {
        nameOf: (uuid) => `name of ${uuid.slice(0, 4)}`,
        tagsOf: (uuid) => this.tags.get(uuid) ?? [],
        regionOf: () => null,
        parentOf: (uuid) => this.parents.get(uuid),
        expiresAt: () => undefined,
        atHost: () => new Set(),
        awaySince: (uuid) => this.away.get(uuid),
      },
      monitors: {
        count: 0,
        isNew: false,
        of: () => undefined,
        nameOf: () => '',
        downAbove: () => undefined,
        unsettledAbove: () => undefined,
        downWithin: () => [],
        isDownByCertificate: () => false,
        explaining: () => [],
      },
      fleet: {
        count: () => this.fleet,
        lateSince: (uuid) => this.heard.lateSince(uuid, this.now),
      },
      mayTell: (...given) => this.mayTell(...given),
      valueText: ({ value }) => `${value} %`,
      ackPath: '/svc/alert/ack',
      pagePath: ({ id }) => `/svc/dashboard/alerts/${id}`,
      changed() {},
    };
    this.dispatcher = new Dispatcher(this.parts);
  }

  static async open(dialect: 'sqlite' | 'postgres'): Promise<Stage> {
    const app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    for (const name of CHANNELS) await create(app, webhook(name, NOWHERE));
    const stage = new Stage(app);
    for (const { id, name } of await notifyOf(app).channels()) stage.#names.set(id, name);
    await stage.settings.prepare();
    return stage;
  }

  /** A new beginning: nothing is away, no rule is there. */
  reset(): void {
    this.now += 100 * HOUR;
    this.now -= (this.now - T0) % HOUR;
    this.rules.length = 0;
    this.fleet = 1_000;
    for (const map of [this.away, this.parents, this.tags]) map.clear();
    this.mayTell = () => true;
    this.before = undefined;
    this.dispatcher = new Dispatcher(this.parts);
  }

  /** A server that starts anew knows only what is stored. */
  restart(): void {
    this.dispatcher = new Dispatcher(this.parts);
  }

  async rule(over: Partial<Rule> & { readonly steps?: Policy['steps'] } = {}): Promise<Rule> {
    const { steps = [{ after_s: 0, channels: ['A'] }], ...rest } = over;
    const name = rest.policy ?? (await this.policy({ steps })).name;
    const rule: Rule = {
      ...{ id: nextId++, name: `rule ${nextId}`, enable: true, source: 'machine' },
      ...{ scope: { all: true }, condition: 'x', clear: null, for_s: 60, clear_for_s: 60 },
      ...{ severity: 'warning', notify: true, repeat_s: null, summary: '', runbook: '' },
      ...{ labels: {}, shipped: null, owner: null, version: 1, meaning: 1 },
      ...rest,
      policy: name,
    };
    this.rules.push(rule);
    return rule;
  }

  async policy(over: Partial<NewPolicy> = {}): Promise<Policy> {
    const policy = await this.settings.policyStore.set(
      {
        ...{ name: randomUUID(), steps: [], group_by: 'rule', wait_s: 10, interval_s: 60 },
        ...{ repeat_s: { critical: 14_400 }, quiet: null, send_close: true, owner: null },
        ...over,
      },
      this.now,
    );
    await this.settings.reload();
    return policy;
  }

  async silence(scope: Matcher, seconds: number): Promise<number> {
    const times = {
      created_at: this.now,
      starts_at: this.now,
      ends_at: this.now + seconds * SECOND,
    };
    const more = { reason: 'new disk', created_by: null, owner: null };
    const { id } = await this.settings.silenceStore.insert({ scope, ...more, ...times });
    await this.settings.reload();
    return id;
  }

  /** Opens alerts in one transaction. */
  async openAll(keys: readonly AlertKey[], since = this.now): Promise<Alert[]> {
    const detail = { threshold: '> 90' };
    const judged = {
      to: 2,
      since,
      at: this.now,
      true_ms: 60_000,
      false_ms: 0,
      value: 95,
      detail,
    } as const;
    const froms = await Promise.all(keys.map((key) => this.find(key)));
    const changes = keys.map((key, at) => ({ ...key, from: froms[at], ...judged }));
    return (await this.transitions.apply(changes)).map(({ alert, made }) => {
      if (!made) throw new Error('not opened');
      return alert;
    });
  }

  async opens(key: AlertKey, since = this.now): Promise<Alert> {
    return (await this.openAll([key], since))[0] as Alert;
  }

  async closes(...keys: readonly AlertKey[]): Promise<void> {
    const changes = [];
    for (const key of keys) {
      const from = await this.find(key);
      if (!from) throw new Error('there is no such alert');
      const { since, true_ms, false_ms, value, detail } = from;
      changes.push({
        ...key,
        from,
        to: 0,
        at: this.now,
        since,
        true_ms,
        false_ms,
        value,
        detail,
      } as const);
    }
    await this.transitions.apply(changes);
  }

  async find({ rule_id, subject_kind, subject_id, part }: AlertKey): Promise<Alert | undefined> {
    const all = await this.transitions.load(subject_kind, [subject_id]);
    return all.find((alert) => alert.rule_id === rule_id && alert.part === part);
  }

  /** Time goes on, in steps of so many seconds. */
  async pass(seconds: number, step = 1): Promise<void> {
    for (let passed = 0; passed < seconds; passed += step) {
      this.now += Math.min(step, seconds - passed) * SECOND;
      await this.dispatcher.run(this.now);
    }
  }

  /** What was put into the outbox since the last time. */
  async sent(): Promise<Sent[]> {
    const rows = await this.app.sql(
      `select id, channel_id, body from notify_outbox where id > ${this.#seen} order by id`,
    );
    this.#seen = Math.max(this.#seen, ...rows.map(({ id }) => Number(id)));
    return rows.map(({ channel_id, body }) => {
      const message: Message = JSON.parse(body);
      const at = (message.sent_at - T0) / SECOND;
      return { channel: this.#names.get(Number(channel_id)) ?? '', at, message };
    });
  }

  /** The same in short: `[second of the hour, channel, type, alerts]`. */
  async told(
    since = this.now,
  ): Promise<[second: number, channel: string, type: string, count: number][]> {
    return (await this.sent()).map(({ channel, message: { sent_at, type, alerts, more } }) => {
      return [(sent_at - since) / SECOND, channel, type.slice(6), alerts.length + more];
    });
  }

  /** Events that are not decided. */
  async due(): Promise<number> {
    const [{ n }] = await this.app.sql(
      'select count(*) as n from alert_event where due is not null',
    );
    return Number(n);
  }
}

let nextId = 1;

/** Place of an alert of a rule on a machine; without one a new machine. */
export const key = (rule: Rule, subject_id: string = randomUUID(), part = ''): AlertKey => ({
  ...{ rule_id: rule.id, subject_kind: 'agent', subject_id, part },
});
