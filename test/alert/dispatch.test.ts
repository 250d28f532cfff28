// Who is told, when (plugins/alert/README.md): the dispatcher over the tables of both databases.

import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { HOUR, key, SECOND, Stage } from './dispatch-kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: who is told (${dialect})`);
  let stage: Stage;
  let begun = 0;

  test.before(async () => {
    stage = await Stage.open(dialect);
  });
  test.before.each(() => {
    stage.reset();
    begun = stage.now;
  });
  test.after.each(async () => {
    await stage.sent();
  });
  test.after(() => stage.app.stop());
  const told = () => stage.told(begun);

  test('an opening is told once, ten seconds later, with its true beginning; its end to the same channel', async () => {
    const rule = await stage.rule();
    const place = key(rule);
    const since = stage.now - 60 * SECOND;
    const { id } = await stage.opens(place, since);
    await stage.pass(100);
    const sent = await stage.sent();
    assert.equal(sent.length, 1);
    const { message } = sent[0]!;
    assert.equal(message.sent_at, begun + 10 * SECOND);
    const [alert] = message.alerts;
    assert.equal(
      [alert?.since, alert?.value, alert?.threshold, alert?.id, alert?.state, alert?.url],
      [
        since,
        '95 %',
        '> 90',
        `${id}-1`,
        'open',
        `https://fleet.example.net/svc/dashboard/alerts/${id}`,
      ],
    );
    assert.match(
      alert?.ack_url ?? '',
      /^https:\/\/fleet\.example\.net\/svc\/alert\/ack\/[\w-]{24}$/,
    );
    await stage.closes(place);
    await stage.pass(100);
    assert.equal(await told(), [[110, 'A', 'closed', 1]]);
    assert.equal(await stage.due(), 0);
  });

  test('a message says how many alerts of its group are still open, those included that it does not tell of', async () => {
    const rule = await stage.rule();
    const other = await stage.rule();
    const [first, second, third] = [key(rule), key(rule), key(rule)];
    await stage.openAll([first, second, key(other)]);
    await stage.pass(100);
    await stage.opens(third);
    await stage.pass(100);
    await stage.closes(first);
    await stage.pass(100);
    await stage.closes(second, third);
    await stage.pass(100);
    const counts = (await stage.sent())
      .filter(({ message }) => message.group.key.endsWith(`rule:${rule.id}`))
      .map(({ message: { type, group } }) => [type, group.open, group.closed]);
    assert.equal(counts, [
      ['alert.opened', 2, 0],
      ['alert.opened', 3, 0],
      ['alert.closed', 2, 1],
      ['alert.closed', 0, 2],
    ]);
  });

  test('an episode that ends within the wait is not told at all', async () => {
    const place = key(await stage.rule());
    await stage.opens(place);
    await stage.pass(5);
    await stage.closes(place);
    await stage.pass(100);
    assert.equal(await told(), []);
    assert.equal(await stage.due(), 0);
  });

  test('a policy without channels tells nothing, and nothing of the end', async () => {
    const place = key(await stage.rule({ steps: [] }));
    await stage.opens(place);
    await stage.pass(30);
    await stage.closes(place);
    await stage.pass(100);
    assert.equal(await told(), []);
    assert.equal(await stage.due(), 0);
  });

  test('a thousand machines that fall silent at once are one message with ten names, and one of the end', async () => {
    const rule = await stage.rule({ source: 'presence', severity: 'critical' });
    const keys = Array.from({ length: 1_000 }, () => key(rule));
    await stage.openAll(keys);
    await stage.pass(30);
    const [sent, ...none] = await stage.sent();
    assert.equal(none, []);
    assert.equal([sent?.message.alerts.length, sent?.message.more], [10, 990]);
    assert.match(sent?.message.title ?? '', /^1000 of 1000 machines fell silent at \d\d:\d\d UTC$/);
    await stage.closes(...keys);
    await stage.pass(60);
    assert.equal(
      (await told()).map(([, ...rest]) => rest),
      [['A', 'closed', 1_000]],
    );
  });

  test('a group is told at most once a minute while it grows', async () => {
    const rule = await stage.rule();
    for (let n = 0; n < 15; n++) {
      await stage.opens(key(rule));
      await stage.pass(10);
    }
    await stage.pass(60);
    assert.equal(await told(), [
      [10, 'A', 'opened', 1],
      [70, 'A', 'opened', 6],
      [130, 'A', 'opened', 6],
      [190, 'A', 'opened', 2],
    ]);
  });

  test('a machine that comes and goes is told three times, then that it flaps, and once when it is calm', async () => {
    const rule = await stage.rule({ source: 'presence', severity: 'critical', clear_for_s: 30 });
    const place = key(rule);
    for (let n = 0; n < 6; n++) {
      await stage.pass(120, 5);
      await stage.opens(place);
      await stage.pass(40, 5);
      await stage.closes(place);
      await stage.pass(30, 5);
    }
    const sent = await stage.sent();
    assert.equal(
      sent.map(({ message }) => message.type.slice(6)),
      ['opened', 'closed', 'opened', 'closed', 'opened', 'closed', 'flapping'],
    );
    const [flapping] = sent.at(-1)?.message.alerts ?? [];
    assert.equal([flapping?.source, flapping?.flaps?.times], ['presence', 4]);
    assert.ok((flapping?.flaps?.ms ?? 0) >= 9 * 60 * SECOND);
    await stage.pass(1_200, 10);
    const last = await stage.sent();
    assert.equal(
      last.map(({ message }) => message.type),
      ['alert.closed'],
    );
    assert.equal(await stage.due(), 0);
  });

  test('a flapping alert that stays open is told as open', async () => {
    const place = key(await stage.rule());
    for (let n = 0; n < 5; n++) {
      await stage.opens(place);
      await stage.pass(80, 5);
      if (n < 4) await stage.closes(place);
      if (n < 4) await stage.pass(80, 5);
    }
    await stage.sent();
    await stage.pass(1_200, 10);
    const later = await stage.sent();
    assert.equal(
      later.map(({ message }) => message.type),
      ['alert.opened'],
    );
  });

  test('the end of a warning is told when a stronger rule inhibits it by then', async () => {
    const low = await stage.rule({ source: 'part', shipped: 'disk-almost-full' });
    const high = await stage.rule({ source: 'part', shipped: 'disk-full', severity: 'critical' });
    const machine = randomUUID();
    const [warning, full] = [key(low, machine, '/'), key(high, machine, '/')];
    const other = key(low, machine, '/home');
    await stage.opens(warning);
    await stage.pass(30);
    await stage.opens(full);
    await stage.pass(30);
    await stage.closes(warning, full);
    await stage.pass(100);
    const kinds = (await told()).map(([, , kind]) => kind);
    assert.equal(kinds.toSorted(), ['closed', 'closed', 'opened', 'opened']);
    await stage.opens(full);
    await stage.openAll([warning, other]);
    await stage.pass(100);
    const names = (await stage.sent()).flatMap(({ message }) =>
      message.alerts.map(({ part }) => part),
    );
    assert.equal(names.toSorted(), ['/', '/home'], 'the weaker one of the same disk waits');
  });

  test('thirty machines below a router that is away are one message with their number', async () => {
    const rule = await stage.rule({ source: 'presence', severity: 'critical' });
    const router = randomUUID();
    const children = Array.from({ length: 30 }, () => randomUUID());
    for (const uuid of [router, ...children]) stage.away.set(uuid, stage.now);
    for (const [n, uuid] of children.entries())
      stage.parents.set(uuid, n < 5 ? router : children[0]!);
    await stage.openAll([router, ...children].map((uuid) => key(rule, uuid)));
    await stage.pass(30);
    const [sent, ...none] = await stage.sent();
    assert.equal(none, []);
    assert.equal(
      sent?.message.alerts.map(({ subject, below }) => [subject.id, below]),
      [[router, 30]],
    );
    assert.equal(
      stage.dispatcher.hiddenBy((await stage.find(key(rule, children[0])))!, stage.now),
      {
        kind: 'subject',
        name: `name of ${router.slice(0, 4)}`,
        key: `machine:${router}`,
      },
    );
    stage.away.delete(router);
    await stage.closes(key(rule, router));
    await stage.pass(100);
    const rest = (await stage.sent()).flatMap(({ message }) => [
      [message.type, message.group.open],
    ]);
    assert.equal(rest, [
      ['alert.closed', 0],
      ['alert.opened', 5],
    ]);
  });

  test('other alerts of a machine that is away wait, and are told when it is back and they are still open', async () => {
    const rule = await stage.rule();
    const machine = randomUUID();
    stage.away.set(machine, stage.now);
    await stage.opens(key(rule, machine), stage.now - 5 * SECOND);
    await stage.pass(200);
    assert.equal(await told(), []);
    stage.away.delete(machine);
    const back = stage.now;
    await stage.pass(60);
    const [sent] = await stage.sent();
    assert.equal(sent?.message.alerts[0]?.since, begun - 5 * SECOND);
    const waited = ((sent?.message.sent_at ?? 0) - back) / SECOND;
    assert.ok(waited >= 10 && waited <= 16, `${waited}`);
  });

  test('an alert of a machine that is late waits until presence has decided', async () => {
    const rule = await stage.rule();
    const machine = randomUUID();
    for (let n = 0; n < 5; n++) stage.heard.heard([machine], begun - 20 * SECOND + n * SECOND);
    await stage.opens(key(rule, machine));
    await stage.pass(40);
    assert.equal(
      (await told()).map(([second]) => second),
      [29],
    );
  });

  test('what opens and closes in a silence is not told', async () => {
    const rule = await stage.rule();
    const place = key(rule);
    await stage.silence({ rules: [rule.name] }, 3_600);
    await stage.opens(place);
    await stage.pass(600, 5);
    await stage.closes(place);
    await stage.pass(3_700, 10);
    assert.equal(await told(), []);
    assert.equal(await stage.due(), 0);
  });

  test('what is still open at the end of a silence is told once, with its true beginning', async () => {
    const rule = await stage.rule();
    await stage.silence({ rules: [rule.name] }, 3_600);
    await stage.opens(key(rule), begun - 60 * SECOND);
    await stage.pass(3_590, 10);
    assert.equal(await stage.sent(), []);
    await stage.pass(60);
    const sent = await stage.sent();
    assert.equal(
      sent.map(({ message }) => [message.sent_at - begun, message.alerts[0]?.since]),
      [[3_610 * SECOND, begun - 60 * SECOND]],
    );
    await stage.pass(600, 10);
    assert.equal(await stage.sent(), []);
  });

  test('what was told is told as over in a silence, too', async () => {
    const rule = await stage.rule();
    const place = key(rule);
    await stage.opens(place);
    await stage.pass(30);
    await stage.silence({ rules: [rule.name] }, 3_600);
    await stage.closes(place);
    await stage.pass(100);
    assert.equal(
      (await told()).map(([, , kind]) => kind),
      ['opened', 'closed'],
    );
  });

  test('what was down before a window and is down after it is not told again', async () => {
    const rule = await stage.rule();
    await stage.opens(key(rule));
    await stage.pass(30);
    const once = { once_from: stage.now, once_to: stage.now + HOUR, cron: null, duration_s: null };
    const scope = { rules: [rule.name] };
    const rest = { effect: 'quiet', public: [], enable: true, owner: null, zone: 'UTC' } as const;
    await stage.settings.windowStore.insert({ name: randomUUID(), scope, ...once, ...rest }, begun);
    await stage.settings.reload();
    await stage.opens(key(rule));
    await stage.pass(3_500, 10);
    assert.equal((await told()).length, 1);
    await stage.pass(300);
    assert.equal(await told(), [[3_640, 'A', 'opened', 1]], 'the one that began in it');
  });

  test('below critical waits for the end of quiet hours', async () => {
    // Tests begin at a full hour: the quiet time is the hour from then on.
    const hours = (time: number) => new Date(time).toISOString().slice(11, 16);
    const quiet = { from: hours(begun), to: hours(begun + HOUR), zone: 'UTC' };
    const { name: policy } = await stage.policy({
      steps: [{ after_s: 0, channels: ['A'] }],
      quiet,
    });
    const [low, high] = [
      await stage.rule({ policy }),
      await stage.rule({ policy, severity: 'critical' }),
    ];
    await stage.openAll([key(low), key(high)]);
    await stage.pass(3_500, 10);
    assert.equal(await told(), [[10, 'A', 'opened', 1]]);
    await stage.pass(200);
    assert.equal(await told(), [[3_610, 'A', 'opened', 1]]);
  });

  test('a critical alert is told again every four hours until somebody acknowledges it', async () => {
    const rule = await stage.rule({ severity: 'critical' });
    const place = key(rule);
    await stage.opens(place);
    await stage.pass(9 * 3_600, 60);
    const seconds = (await told()).map(([second, , kind]) => [Math.round(second / 3_600), kind]);
    assert.equal(seconds, [
      [0, 'opened'],
      [4, 'reminder'],
      [8, 'reminder'],
    ]);
    const other = key(rule);
    await stage.opens(other);
    await stage.pass(5 * 3_600, 60);
    await stage.sent();
    await acknowledge((await stage.find(other))!.id, null);
    await stage.pass(5 * 3_600, 60);
    const later = (await stage.sent()).flatMap(({ message }) =>
      message.alerts.map(({ subject }) => subject.id),
    );
    assert.not.ok(later.includes(other.subject_id), 'acknowledged');
    await stage.closes(other);
    await stage.pass(120);
    assert.equal(
      (await told()).map(([, , kind]) => kind),
      ['closed'],
    );
  });

  const acknowledge = async (id: number, until: number | null) => {
    const { AlertStore } = await import('../../plugins/alert/src/store/alerts.ts');
    const { kernelOf } = await import('../shared-servers.ts');
    const store = new AlertStore(kernelOf(stage.app).db, { now: () => stage.now } as never);
    await store.acknowledge(id, { by: 'test', until, note: null }, 'test');
  };
  const STEPS = [
    { after_s: 0, channels: ['A'] },
    { after_s: 900, channels: ['B'] },
  ];

  test('a further step is taken unless somebody acknowledged; the end goes to those who heard', async () => {
    const rule = await stage.rule({ steps: STEPS });
    const [seen, unseen] = [key(rule), key(rule)];
    await stage.openAll([seen, unseen]);
    await stage.pass(600, 10);
    await acknowledge((await stage.find(seen))!.id, null);
    await stage.pass(600, 10);
    assert.equal(await told(), [
      [10, 'A', 'opened', 2],
      [910, 'B', 'opened', 1],
    ]);
    await stage.closes(seen);
    await stage.pass(120, 10);
    assert.equal(
      (await told()).map(([, channel, kind]) => [channel, kind]),
      [['A', 'closed']],
    );
    await stage.closes(unseen);
    await stage.pass(120, 10);
    assert.equal((await told()).map(([, channel]) => channel).toSorted(), ['A', 'B']);
  });

  test('an acknowledgement that ends lets the next step be taken', async () => {
    const place = key(await stage.rule({ steps: STEPS }));
    await stage.opens(place);
    await stage.pass(600, 10);
    await acknowledge((await stage.find(place))!.id, stage.now + 600 * SECOND);
    await stage.pass(590, 10);
    assert.equal(
      (await told()).map(([, channel]) => channel),
      ['A'],
    );
    await stage.pass(400, 10);
    assert.equal(
      (await told()).map(([, channel]) => channel),
      ['B'],
    );
    assert.is((await stage.find(place))?.acked_by, null);
  });

  test('a change of the alert at the same time has it decided anew, and told once', async () => {
    const place = key(await stage.rule());
    const { id } = await stage.opens(place);
    await stage.pass(9);
    // What was read is older than the row by the time it is stored.
    const alerts = stage.parts.notify.channels;
    let isFirst = true;
    Object.assign(stage.parts.notify, {
      channels: async () => {
        if (isFirst) await acknowledge(id, null);
        isFirst = false;
        return alerts();
      },
    });
    await stage.pass(1);
    assert.equal(await told(), []);
    await stage.pass(1);
    assert.equal(await told(), [[11, 'A', 'opened', 1]]);
    Object.assign(stage.parts.notify, { channels: alerts });
  });

  test('a server that starts anew tells what is due, once', async () => {
    const rule = await stage.rule();
    await stage.opens(key(rule));
    await stage.pass(5);
    stage.restart();
    await stage.pass(30);
    stage.restart();
    await stage.pass(30);
    assert.equal(await told(), [[10, 'A', 'opened', 1]]);
  });

  test('what the owner of a rule may not see or use is not told', async () => {
    const rule = await stage.rule({
      owner: 'stranger',
      steps: [{ after_s: 0, channels: ['A', 'B'] }],
    });
    const [mine, foreign] = [key(rule), key(rule)];
    stage.mayTell = (_rule, { subject_id }) => subject_id === mine.subject_id;
    await stage.openAll([mine, foreign]);
    await stage.pass(30);
    const sent = await stage.sent();
    assert.equal(
      sent.map(({ channel }) => channel),
      ['B'],
    );
    assert.not.match(JSON.stringify(sent), foreign.subject_id);
    stage.mayTell = () => false;
    await stage.closes(mine);
    await stage.pass(100);
    assert.equal(await stage.sent(), [], 'the right has gone');
  });

  test('a message fits into the outbox whatever its rule says', async () => {
    const labels = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`label ${n}`, 'x'.repeat(200)]),
    );
    const rule = await stage.rule({
      labels,
      summary: '界'.repeat(500),
      runbook: `https://${'y'.repeat(450)}`,
    });
    await stage.openAll(Array.from({ length: 12 }, () => key(rule)));
    await stage.pass(30);
    const [sent] = await stage.sent();
    assert.ok(Buffer.byteLength(JSON.stringify(sent?.message)) <= 16_000);
    assert.equal((sent?.message.alerts.length ?? 0) + (sent?.message.more ?? 0), 12);
  });

  for (const [says, skew] of [
    ['ahead', 90],
    ['behind', -90],
  ] as const)
    test(`a server whose clock is ${says} has its alerts told after the wait of the policy`, async () => {
      const place = key(await stage.rule());
      const begun = stage.now;
      stage.now += skew * SECOND;
      await stage.opens(place);
      stage.now = begun;
      await stage.pass(30);
      const [[second] = [-1]] = await stage.told(begun);
      assert.ok(second >= 8 && second <= 11, `${second}`);
    });

  test.run();
}
