// Alerts change by compare and set, with their history (plugins/alert/src/store/transitions.ts).

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { StoredTransitions } from '../../plugins/alert/src/store/transitions.ts';
import type { Alert, Rule, Transition } from '../../plugins/alert/src/types.ts';
import { suite } from '../runner/suite.ts';
import { kernelOf, type SharedServers, sharedServers } from '../shared-servers.ts';
import { PLUGINS } from './kit.ts';

const RULE = { id: 1, notify: true } as Rule;
const QUIET = { id: 2, notify: false } as Rule;

function transitionsOf(app: TestApp, counted = { statements: 0 }) {
  const kernel = kernelOf(app);
  const { db, clock, log } = kernel;
  const counting = new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name === 'transaction')
        return (work: (trx: any) => Promise<unknown>) =>
          db.transaction((trx: any) => {
            counted.statements += 2;
            return work(
              new Proxy(trx, {
                get(of, member) {
                  if (member === 'raw') counted.statements++;
                  return Reflect.get(of, member);
                },
              }),
            );
          });
      return typeof value === 'function' && name !== 'query' ? value.bind(target) : value;
    },
  });
  const ruleOf = (id: number) => [RULE, QUIET].find((rule) => rule.id === id);
  return new StoredTransitions({ db: counting, clock, log, ruleOf, onMade() {} });
}

const change = (over: Partial<Transition>): Transition => ({
  rule_id: 1,
  subject_kind: 'agent',
  subject_id: randomUUID(),
  part: '',
  from: undefined,
  to: 2,
  since: 1_000,
  at: 2_000,
  true_ms: 5,
  false_ms: 0,
  value: 97.5,
  detail: { name: 'web-1', values: { cpu_usage: 97.5 }, threshold: '> 90' },
  ...over,
});
const next = (alert: Alert, to: Transition['to'], over: Partial<Transition> = {}) =>
  change({ ...alert, from: alert, to, value: 1, at: 3_000, ...over });
const eventsOf = async (app: TestApp, subject: string) => {
  const sql = `select kind, due, told, episode from alert_event where subject_id = '${subject}' order by id`;
  return (await app.sql(sql)).map((row) => ({ ...row, due: row.due && Number(row.due) }));
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: transitions (${dialect})`);
  let app: TestApp;
  let one: ReturnType<typeof transitionsOf>;
  const counted = { statements: 0 };
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    one = transitionsOf(app, counted);
  });
  test.after(() => app.stop());

  test('an episode opens, is cleared for a while, and closes for those who heard of it', async () => {
    const first = change({ to: 1 });
    const [pending] = await one.apply([first]);
    assert.equal([pending!.made, pending!.alert.state, pending!.alert.episode], [true, 1, 0]);
    assert.equal(await eventsOf(app, first.subject_id), []);
    const [opened] = await one.apply([next(pending!.alert, 2)]);
    const { state, episode, opened_at, flaps, told, detail } = opened!.alert;
    assert.equal([state, episode, opened_at, flaps, told], [2, 1, 3_000, [3_000], null]);
    assert.equal(detail, first.detail);
    await app.sql(`update alert set told = '[3,4]', acked_by = 'x' where id = ${opened!.alert.id}`);
    const [clearing] = await one.apply([next(opened!.alert, 3)]);
    const [again] = await one.apply([next(clearing!.alert, 2)]);
    assert.equal([again!.alert.episode, again!.alert.acked_by], [1, 'x']);
    const [closed] = await one.apply([next(again!.alert, 0, { at: 4_000 })]);
    const { closed_at, acked_by } = closed!.alert;
    assert.equal([closed_at, acked_by, closed!.alert.state], [4_000, null, 0]);
    assert.equal(await eventsOf(app, first.subject_id), [
      { kind: 'opened', due: 0, told: null, episode: 1 },
      { kind: 'closed', due: 0, told: '[3,4]', episode: 1 },
    ]);
    const [second] = await one.apply([next(closed!.alert, 2, { at: 5_000 })]);
    assert.equal([second!.alert.episode, second!.alert.flaps], [2, [3_000, 5_000]]);
    assert.is(second!.alert.told, null);
  });

  test('a change that was judged from an old row is not made, and the current row is answered', async () => {
    const first = change({});
    const [opened] = await one.apply([first]);
    const [closed] = await one.apply([next(opened!.alert, 0)]);
    const [late, twice] = await one.apply([next(opened!.alert, 0), first]);
    assert.equal([late!.made, late!.alert], [false, closed!.alert]);
    assert.equal([twice!.made, twice!.alert], [false, closed!.alert]);
    assert.is((await eventsOf(app, first.subject_id)).length, 2);
  });

  test('of a rule that only shows, and of a quiet opening, nothing is due', async () => {
    const shown = change({ rule_id: 2 });
    const quiet = change({ quiet: true });
    const [opened] = await one.apply([shown]);
    await one.apply([quiet, next(opened!.alert, 0, { expired: true })]);
    const kinds = async ({ subject_id }: Transition) =>
      (await eventsOf(app, subject_id)).map(({ kind, due }) => [kind, due]);
    assert.equal(await kinds(shown), [
      ['opened', null],
      ['expired', null],
    ]);
    assert.equal(await kinds(quiet), [['opened', null]]);
  });

  test('a thousand changes take at most fifty statements', async () => {
    counted.statements = 0;
    const made = await one.apply(Array.from({ length: 1_000 }, () => change({})));
    assert.is(made.filter((one) => one.made).length, 1_000);
    assert.ok(counted.statements <= 50, `${counted.statements}`);
    counted.statements = 0;
    const closed = await one.apply(made.map(({ alert }) => next(alert, 0)));
    assert.is(closed.filter((one) => one.made).length, 1_000);
    assert.ok(counted.statements <= 50, `${counted.statements}`);
  });

  test('progress is stored where the row is still the same', async () => {
    const [a, b] = await one.apply([change({ to: 1 }), change({ to: 1 })]);
    await one.apply([next(b!.alert, 2)]);
    await one.progress([a!, b!].map(({ alert }) => ({ ...alert, true_ms: 777 })));
    const subjects = [a!.alert.subject_id, b!.alert.subject_id];
    const rows = await one.load('agent', subjects);
    const held = new Map(rows.map((row) => [row.subject_id, row.true_ms]));
    assert.equal(
      subjects.map((subject) => held.get(subject)),
      [777, 5],
    );
  });

  test('a row that never opened goes with its hold, one that did stays', async () => {
    const [never, once] = await one.apply([change({ to: 1 }), change({})]);
    const [closed] = await one.apply([next(once!.alert, 0)]);
    const [again] = await one.apply([next(closed!.alert, 1)]);
    const ended = await one.apply([next(never!.alert, 0), next(again!.alert, 0)]);
    assert.equal(
      ended.map(({ made, alert }) => [made, alert.state]),
      [
        [true, 0],
        [true, 0],
      ],
    );
    const rows = await one.load('agent', [never!.alert.subject_id, once!.alert.subject_id]);
    assert.equal(
      rows.map(({ id }) => id),
      [once!.alert.id],
    );
    assert.ok((await one.apply([next(ended[0]!.alert, 2)]))[0]!.made);
  });

  test('an agent has a share: beyond, none of its alerts begins, and those of others do', async () => {
    const subject_id = randomUUID();
    const many = (to: 1 | 2, start: number, length: number) =>
      Array.from({ length }, (_, n) => change({ subject_id, to, part: `/${start + n}` }));
    const pending = await one.apply(many(1, 0, 300));
    assert.is(pending.filter(({ made }) => made).length, 250);
    const open = await one.apply(many(2, 300, 300));
    assert.is(open.filter(({ made }) => made).length, 250);
    const [opened, other] = await one.apply([next(pending[0]!.alert, 2), change({})]);
    assert.equal([opened!.made, other!.made], [true, true]);
  });

  test('pending alerts of all agents keep none from opening', async () => {
    const numbers =
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 50100)';
    await app.sql(`insert into alert (rule_id, subject_kind, subject_id, part, state, since, true_ms, false_ms, detail, version, episode, flaps, updated_at)
      ${numbers} select 9, 'agent', 'flood', cast(i as ${dialect === 'sqlite' ? 'text' : 'varchar'}), 1, 0, 0, 0, '{}', 1, 0, '[]', 0 from n`);
    const fresh = transitionsOf(app);
    assert.ok((await fresh.apply([change({})]))[0]!.made);
    assert.is((await fresh.load('agent', ['flood'])).length, 1_000);
    await app.sql("update alert set state = 2 where subject_id = 'flood'");
    assert.not((await transitionsOf(app).apply([change({})]))[0]!.made);
    await app.sql("delete from alert where subject_id = 'flood'");
  });

  test.run();
}

const race = suite('alert: transitions of two servers');
let servers: SharedServers;
race.before(async () => {
  servers = await sharedServers(2, PLUGINS);
});
race.after(() => servers.stop());

race('of two hundred changes that both make, each is made exactly once', async () => {
  const both = servers.apps.map((app) => transitionsOf(app));
  const openings = Array.from({ length: 200 }, () => change({}));
  const opened = await Promise.all([
    both[0]!.apply(openings),
    both[1]!.apply(openings.toReversed()),
  ]);
  assert.is(opened.flat().filter(({ made }) => made).length, 200);
  const rows = opened[0].map(({ alert }) => alert);
  assert.ok(rows.every(({ state, episode }) => state === 2 && episode === 1));
  const ends = rows.map((alert) => next(alert, 0));
  const closed = await Promise.all([both[0]!.apply(ends), both[1]!.apply(ends.toReversed())]);
  assert.is(closed.flat().filter(({ made }) => made).length, 200);
  const [{ n }] = await servers.apps[0]!.sql('select count(*) as n from alert_event');
  assert.is(Number(n), 400);
});

race.run();
