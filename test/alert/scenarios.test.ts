// proof only: 120
/** Timelines of machines and what their channel hears, as one table: a fake clock, real reports, a real receiver. */
import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Received, SECOND, Stage, startReceiver } from './scenario-kit.ts';

type Cpu = (second: number) => number | null | undefined;

interface Scenario {
  readonly says: string;
  readonly cpu: Cpu;
  readonly rule?: object;
  /** Tells whether a rule about its absence runs as well. */
  readonly presence?: boolean;
  readonly ahead_s?: number;
  /** What happens besides reports, by second. */
  readonly acts?: Readonly<Record<number, (scene: Scene) => Promise<unknown>>>;
  /** What the channel hears: type, earliest and latest second, and since when. */
  readonly hears: readonly (readonly [type: string, from: number, to: number, since?: number])[];
  readonly policy?: object;
}

interface Scene {
  readonly app: TestApp;
  readonly stage: Stage;
  readonly uuid: string;
  readonly name: string;
}

const OPENED = 'alert.opened';
const CLOSED = 'alert.closed';

/** CPU by pieces: `[until, value]`, the last value from then on. */
const pieces =
  (...list: readonly (readonly [until: number, value: number | null | undefined])[]): Cpu =>
  (second) =>
    (list.find(([until]) => second < until) ?? list.at(-1))?.[1];
const ever = Number.POSITIVE_INFINITY;
const gone = undefined;

const silence =
  (seconds: number) =>
  async ({ app, stage, uuid }: Scene) =>
    app.call('alert_silence_create', {
      token: app.superToken,
      silence: {
        scope: { agents: [uuid] },
        reason: 'scenario',
        ends_at: stage.timeOf(stage.second + seconds),
      },
    });

/** Each ends with the last second of the run. */
const LAST_S = 1_400;
const scenarios: readonly Scenario[] = [
  {
    says: '1: a condition that holds for its time is told once, with its true beginning',
    cpu: pieces([ever, 95]),
    hears: [[OPENED, 69, 80, 0]],
  },
  { says: '2: a second less is not told', cpu: pieces([59, 95], [ever, 50]), hears: [] },
  {
    says: '3: single values between delay it by what they took',
    cpu: (second) => (second >= 120 || (second > 0 && second % 20 === 0) ? 50 : 95),
    hears: [
      [OPENED, 70, 84],
      [CLOSED, 175, 195],
    ],
  },
  {
    says: '4: a hold that breaks for seven seconds begins anew',
    cpu: pieces([55, 95], [62, 50], [121, 95], [ever, 50]),
    hears: [],
  },
  {
    says: '5: between both thresholds it stays open',
    cpu: pieces([80, 95], [ever, 85]),
    hears: [[OPENED, 69, 80]],
  },
  {
    says: '5: values that hold half of the time open nothing',
    cpu: (second) => (second >= 600 || ((second * 7919) >> 3) % 2 === 0 ? 50 : 95),
    hears: [],
  },
  {
    says: '6: a way back that lasts is told with the end',
    cpu: pieces([100, 95], [ever, 70]),
    hears: [
      [OPENED, 69, 80],
      [CLOSED, 160, 175],
    ],
  },
  {
    says: '7: a short relapse delays the end',
    cpu: pieces([100, 95], [130, 70], [135, 95], [ever, 70]),
    hears: [
      [OPENED, 69, 80],
      [CLOSED, 164, 180],
    ],
  },
  {
    says: '8: a relapse that lasts keeps it open',
    cpu: pieces([100, 95], [130, 70], [400, 95], [ever, 85]),
    hears: [[OPENED, 69, 80]],
  },
  {
    says: '9: a gap is not counted',
    cpu: pieces([40, 95], [100, gone], [ever, 95]),
    hears: [[OPENED, 129, 142]],
  },
  {
    says: '10: after twenty minutes of silence the hold begins anew, and the absence is told',
    cpu: pieces([40, 95], [1_240, gone], [1_299, 95], [ever, 50]),
    presence: true,
    hears: [
      [OPENED, 150, 180, 39],
      [CLOSED, 1_268, 1_290],
    ],
  },
  {
    says: '11: alerts of a silent machine freeze, and end after its return',
    cpu: pieces([100, 95], [900, gone], [ever, 50]),
    presence: true,
    hears: [
      [OPENED, 69, 80],
      [OPENED, 215, 245],
      [CLOSED, 928, 950],
      [CLOSED, 958, 1_035],
    ],
  },
  {
    says: '13: a field that has no value opens nothing',
    cpu: pieces([ever, 95]),
    rule: { condition: 'gpu_usage > 90', clear: null },
    hears: [],
  },
  {
    says: '14: a value that goes away freezes the alert',
    cpu: pieces([100, 95], [ever, null]),
    hears: [[OPENED, 69, 80]],
  },
  {
    says: '15: a machine that stops is told within 15 seconds of its time',
    cpu: () => gone,
    presence: true,
    hears: [[OPENED, 108, 136, -10]],
  },
  {
    says: '16: a machine that is away for 100 seconds is not',
    cpu: pieces([1, 10], [100, gone], [ever, 10]),
    presence: true,
    hears: [],
  },
  {
    says: '42: what opens and ends in a silence is not told',
    cpu: pieces([200, 95], [ever, 70]),
    acts: { 0: silence(600) },
    hears: [],
  },
  {
    says: '43: what is open at the end of a silence is told with its true beginning',
    cpu: pieces([ever, 95]),
    acts: { 0: silence(300) },
    hears: [[OPENED, 300, 330, 0]],
  },
  {
    says: '44: what was told before a silence is told as over in it',
    cpu: pieces([150, 95], [ever, 70]),
    acts: { 100: silence(1_000) },
    hears: [
      [OPENED, 69, 80],
      [CLOSED, 210, 225],
    ],
  },
  {
    says: '50: an acknowledgement stops further steps, and the end goes to those who heard',
    cpu: pieces([700, 95], [ever, 70]),
    policy: { steps: [{ after_s: 0 }, { after_s: 600, channels: ['other'] }] },
    acts: {
      300: async ({ app, uuid }) => {
        const { alerts } = await app.call('alert_list', {
          token: app.superToken,
          agents: [uuid],
        });
        return app.call('alert_ack', [app.superToken, alerts[0].id, 'on it']);
      },
    },
    hears: [
      [OPENED, 69, 80],
      [CLOSED, 760, 775],
    ],
  },
  {
    says: '56: an hour of buffered reports tells nothing of the past',
    cpu: pieces([ever, 10]),
    acts: {
      5: async ({ stage, uuid }) => {
        for (let minute = 60; minute > 0; minute -= 0.5)
          await stage.send(uuid, 99, stage.timeOf(5 - minute * 60));
      },
    },
    hears: [],
  },
  {
    says: '57: a clock that is two hours ahead changes nothing',
    cpu: pieces([ever, 95]),
    ahead_s: 7_200,
    hears: [[OPENED, 69, 80, 0]],
  },
];

const RULE = {
  source: 'machine',
  condition: 'cpu_usage > 90',
  clear: 'cpu_usage < 80',
  for_s: 60,
  clear_for_s: 60,
};
const PRESENCE = {
  source: 'presence',
  condition: 'silent_for > 120',
  clear_for_s: 30,
  severity: 'critical',
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alerts: timelines (${dialect})`);
  const scenes = scenarios.map((scenario, at) => ({
    scenario,
    uuid: randomUUID(),
    name: `scenario-${at}`,
  }));
  let app: TestApp;
  let stage: Stage;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  const call = (method: string, params: object) =>
    app.call(method, { token: app.superToken, ...params });

  test.before(async () => {
    app = await bootForTest(undefined, {}, { dialect, clock: true });
    const actors = scenes.map(({ scenario: { cpu, ahead_s = 0 }, uuid }) => ({
      ...{ uuid, cpu, ahead_s },
    }));
    stage = new Stage(app, actors);
    receiver = await startReceiver(() => stage.now());
    for (const { name } of await call('alert_rule_list', {}))
      await call('alert_rule_set_enable', { name, enable: false });
    for (const { uuid } of scenes) await stage.send(uuid, 10, app.clock.now());
    await addChannel('other');
    for (const scene of scenes) await addScene(scene);
    await stage.warm();
    for (let second = 0; second < LAST_S; second++) {
      for (const { scenario, uuid, name } of scenes)
        await scenario.acts?.[second]?.({ app, stage, uuid, name });
      await stage.to(second + 1);
    }
  });
  test.after(async () => {
    stage?.close();
    await app?.stop();
    await receiver?.stop();
  });

  const addChannel = (name: string) =>
    call('channel_create', {
      channel: { name, kind: 'webhook', config: { url: receiver.url(name) } },
    });

  async function addScene({ scenario, uuid, name }: (typeof scenes)[number]) {
    await addChannel(name);
    const given = (scenario.policy as { steps?: { channels?: string[] }[] } | undefined)?.steps;
    const steps = (given ?? [{ after_s: 0 }]).map((step) => ({ channels: [name], ...step }));
    await call('alert_policy_set', { policy: { name, ...scenario.policy, steps } });
    const common = { scope: { agents: [uuid] }, policy: name };
    await call('alert_rule_create', { rule: { ...RULE, name, ...common, ...scenario.rule } });
    if (scenario.presence)
      await call('alert_rule_create', { rule: { ...PRESENCE, name: `${name} away`, ...common } });
  }

  for (const { scenario, name } of scenes)
    test(scenario.says, () => {
      const heard = receiver.received.filter(({ channel }) => channel === name);
      const text = heard.map(({ type, at }) => `${type} at ${at}`).join(', ');
      assert.is(heard.length, scenario.hears.length, text || 'nothing');
      for (const [at, expected] of scenario.hears.entries()) compare(heard[at]!, expected, text);
    });

  function compare(heard: Received, expected: Scenario['hears'][number], text: string): void {
    const [type, from, to, since] = expected;
    assert.is(heard.type, type, text);
    assert.ok(heard.at >= from && heard.at <= to, `${text}; expected ${type} at ${from} to ${to}`);
    if (since === undefined) return;
    const told = heard.body.alerts[0]!.since;
    const difference_s = Math.abs(told - stage.timeOf(since)) / SECOND;
    assert.ok(difference_s <= 3, `since ${(told - stage.timeOf(0)) / SECOND}`);
  }

  test('every message has an id of its own', () => {
    const ids = receiver.received.map(({ id, channel }) => `${id} ${channel}`);
    assert.is(new Set(ids).size, ids.length);
    assert.ok(ids.length > 15);
  });

  test.run();
}
