// What changes while an alert is open: its rule, its policy, the rights of its owner, its channels.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { key, SECOND, Stage } from './dispatch-kit.ts';

const A = [{ after_s: 0, channels: ['A'] }];
const B = [{ after_s: 0, channels: ['B'] }];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: what changes while it is open (${dialect})`);
  let stage: Stage;
  let begun = 0;
  test.before(async () => {
    stage = await Stage.open(dialect);
  });
  test.before.each(async () => {
    await stage.sent();
    stage.reset();
    begun = stage.now;
  });
  test.after(() => stage.app.stop());
  const kinds = async () => (await stage.told(begun)).map(([, channel, kind]) => [channel, kind]);
  const historyOf = async (id: number) => {
    const rows = await stage.app.sql(
      `select kind, batch, detail from alert_event where alert_id = ${id} order by id`,
    );
    return rows.map(({ kind, batch, detail }) => ({ kind, batch, ...JSON.parse(detail) }));
  };

  test('the end is told after its rule was deleted and the server started anew', async () => {
    const rule = await stage.rule({ severity: 'critical', labels: { team: 'db' } });
    const place = key(rule);
    await stage.opens(place);
    await stage.pass(30);
    await stage.sent();
    stage.rules.length = 0;
    await stage.closes(place);
    stage.restart();
    await stage.pass(100);
    const [sent, ...none] = await stage.sent();
    assert.equal(none, []);
    const [alert] = sent?.message.alerts ?? [];
    assert.equal(
      [sent?.channel, sent?.message.type, alert?.rule, alert?.severity, alert?.labels],
      ['A', 'alert.closed', rule.name, 'critical', { team: 'db' }],
    );
  });

  test('a policy that names another channel has reminders go there; the end goes to all that heard', async () => {
    const rule = await stage.rule({ repeat_s: 60 });
    const place = key(rule);
    await stage.opens(place);
    await stage.pass(30);
    await stage.policy({ name: rule.policy as string, steps: B });
    await stage.pass(130, 5);
    await stage.closes(place);
    await stage.pass(100);
    const told = await kinds();
    assert.equal(told.slice(0, 3), [
      ['A', 'opened'],
      ['B', 'reminder'],
      ['B', 'reminder'],
    ]);
    assert.equal(told.slice(3).toSorted(), [
      ['A', 'closed'],
      ['B', 'closed'],
    ]);
  });

  test('a channel that the owner may not use any more hears nothing, and the history says so', async () => {
    let may = true;
    const { mayUse } = stage.parts.notify;
    Object.assign(stage.parts.notify, { mayUse: async () => may });
    const rule = await stage.rule({ owner: 'token', repeat_s: 60 });
    const place = key(rule);
    const { id } = await stage.opens(place);
    await stage.pass(30);
    may = false;
    await stage.pass(130, 5);
    await stage.closes(place);
    await stage.pass(100);
    assert.equal(await kinds(), [['A', 'opened']]);
    const history = await historyOf(id);
    assert.equal(
      history.map(({ kind, withheld }) => [kind, withheld]),
      [
        ['opened', undefined],
        ['reminded', ['A']],
        ['reminded', ['A']],
        ['closed', ['A']],
      ],
    );
    Object.assign(stage.parts.notify, { mayUse });
  });

  test('a channel that is off has its messages wait', async () => {
    const enable = (on: boolean) =>
      stage.app.call('channel_update', {
        ...{ token: stage.app.superToken, name: 'A', change: { enable: on } },
      });
    await enable(false);
    await stage.opens(key(await stage.rule()));
    await stage.pass(30);
    assert.equal(await kinds(), [['A', 'opened']]);
    const [row] = await stage.app.sql('select state from notify_outbox order by id desc limit 1');
    assert.is(Number(row.state), 0);
    await enable(true);
  });

  test('where the first step comes later, its message is the opening in the history, too', async () => {
    const steps = [
      { after_s: 60, channels: ['A'] },
      { after_s: 120, channels: ['B'] },
    ];
    const { id } = await stage.opens(key(await stage.rule({ steps })));
    await stage.pass(300, 5);
    assert.equal(await kinds(), [
      ['A', 'opened'],
      ['B', 'opened'],
    ]);
    const history = await historyOf(id);
    assert.equal(
      history.map(({ kind, batch }) => [kind, typeof batch]),
      [
        ['opened', 'string'],
        ['reminded', 'string'],
      ],
    );
  });

  test('machines that fell silent together are over in the group in which they were told', async () => {
    const { name: policy } = await stage.policy({ steps: A, group_by: 'subject' });
    const rule = await stage.rule({ policy, source: 'presence', repeat_s: 600 });
    stage.fleet = 5;
    const keys = Array.from({ length: 4 }, () => key(rule));
    await stage.openAll(keys);
    await stage.pass(700, 5);
    await stage.closes(keys[0]!);
    await stage.pass(100);
    await stage.closes(...keys.slice(1));
    await stage.pass(100);
    const sent = await stage.sent();
    assert.is(new Set(sent.map(({ message }) => message.group.key)).size, 1);
    assert.equal(
      sent.map(({ message: { type, group } }) => [type, group.open, group.closed]),
      [
        ['alert.opened', 4, 0],
        ['alert.reminder', 4, 0],
        ['alert.closed', 3, 1],
        ['alert.closed', 0, 3],
      ],
    );
  });

  test('an end whose opening was dropped is not told', async () => {
    const rule = await stage.rule({ steps: [{ after_s: 0, channels: ['A', 'B'] }] });
    const place = key(rule);
    await stage.opens(place);
    await stage.pass(30);
    await stage.sent();
    const channels = await stage.parts.notify.channels();
    const id = channels.find(({ name }) => name === 'B')?.id;
    await stage.app.sql(`update notify_outbox set state = 2 where channel_id = ${id}`);
    await stage.closes(place);
    await stage.pass(100);
    assert.equal(await kinds(), [['A', 'closed']]);
    assert.is(stage.now - begun, 130 * SECOND);
  });

  test.run();
}
