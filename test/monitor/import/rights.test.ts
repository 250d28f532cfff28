/** What an import made shows to nobody who may not read it, and is changed by nobody who may not (docs/protocol/monitor.md §8). */
import { randomUUID } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { summaryReport } from '../../protocol/agent-kit.ts';
import { suite } from '../../runner/suite.ts';
import { boot, call, failure, PLUGINS } from '../kit.ts';
import { beszel, database, kuma } from './fixtures.ts';

const ALL = [...PLUGINS, 'agent-uuid', 'agent', 'agent-events', 'alert', 'audit'];
const UUID = randomUUID();
const TYPES = ['channel', 'monitor', 'rule', 'window'];

const fileOf = (name: string, bytes: Buffer | string) => ({
  file: { name, base64: Buffer.from(bytes).toString('base64') },
});
const FILES = [
  fileOf('kuma.db', database(kuma())),
  fileOf('data.db', database(beszel(UUID))),
] as const;
const limits = (...words: string[]) => [
  {
    scopes: [{ monitor: '*' }, { channel: '*' }, 'global'],
    permissions: words.flatMap((word) => [
      ...[{ monitor: word }, { channel: word }],
      // Rules and windows are deleted by whoever may write them.
      ...(word === 'delete' ? [] : [{ alert: word }]),
    ]),
  },
];

/** Right to write a monitor that no file has: whoever imports has one. */
const some = { scopes: [{ monitor: 'elsewhere' }], permissions: [{ monitor: 'write' }] };

/** The right to all but monitors. */
const alone = {
  scopes: ['global', { channel: '*' }],
  permissions: [{ channel: 'write' }, { alert: 'write' }],
};

/** Methods that give a thing another name; channels keep theirs. */
const UPDATES: { readonly [type: string]: string } = {
  monitor: 'monitor_update',
  rule: 'alert_rule_update',
  window: 'alert_window_update',
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`import: rights (${dialect})`);
  let app: TestApp;
  const sources: string[] = [];
  const rows = async (word: string, token?: string): Promise<any[]> => {
    const given =
      word === 'plan' || word === 'apply' ? FILES : sources.map((source) => ({ source }));
    const answers: any[] = [];
    for (const params of given)
      answers.push(...(await call(app, `monitor_import_${word}`, params, token)).rows);
    return answers;
  };
  const types = (found: any[]) => [...new Set(found.map(({ type }) => type))].sort();

  test.before(async () => {
    app = await boot(dialect, {}, ALL);
    const report = summaryReport({ uuid: UUID, time: app.clock.now() });
    await app.call('agent_report_dynamic_summary', [app.superToken, report]);
    const made: any[] = [];
    for (const file of FILES) {
      const answer = await call(app, 'monitor_import_apply', file);
      sources.push(answer.source);
      made.push(...answer.rows.filter(({ as }: any) => as !== null));
    }
    assert.equal(types(made), TYPES);
    await rows('switch_on');
    for (const [at, { type, as: name }] of made.entries()) {
      const method = UPDATES[type];
      if (method) await call(app, method, { name, change: { name: `HIDDEN-${at}` } });
    }
  });
  test.after(() => app.stop());

  test('whoever may write no monitor is refused, before a file is read', async () => {
    const damaged = fileOf('kuma.db', 'no database');
    const tokens = [app.token([]), app.token(limits('read', 'delete')), app.token([alone])];
    for (const token of await Promise.all(tokens))
      for (const [word, params] of [
        ...[['plan', damaged] as const, ['apply', damaged] as const],
        ...[
          ['switch_on', { source: sources[0] }] as const,
          ['undo', { source: sources[0] }] as const,
        ],
      ]) {
        const { code, message } = await failure(call(app, `monitor_import_${word}`, params, token));
        assert.is(code, 102, word);
        assert.match(message, 'Missing monitor write permission for any monitor');
      }
    const ended = await app.token([some], { timestamp_to: 1 });
    assert.is((await failure(call(app, 'monitor_import_plan', FILES[0], ended))).code, 102);
  });

  test('whoever may write none of it learns no name of it, and changes nothing', async () => {
    const none = await app.token([some]);
    for (const word of ['plan', 'apply', 'switch_on', 'undo']) {
      const found = await rows(word, none);
      assert.not.match(JSON.stringify(found), /HIDDEN/, word);
      assert.equal(
        found.filter(({ as }) => as !== null),
        [],
        word,
      );
      assert.equal(
        found.filter(({ outcome }) => outcome !== 'not_made'),
        [],
        word,
      );
      if (word !== 'plan' && word !== 'apply') assert.equal(found, [], word);
    }
  });

  test('whoever may make things, but not read these, is told without names that they cannot be made', async () => {
    const writer = await app.token(limits('write'));
    for (const word of ['plan', 'apply']) {
      const found = await rows(word, writer);
      assert.not.match(JSON.stringify(found), /HIDDEN/, word);
      const before = (await rows('plan')).filter(({ outcome }) => outcome === 'there');
      for (const { item, type } of before) {
        const own = found.find((one) => one.item === item && one.type === type);
        assert.equal([own.outcome, own.as], ['not_made', null], item);
      }
    }
  });

  test('whoever may read it, and not change it, finds it there, and nothing of it in what is changed', async () => {
    const reader = await app.token([...limits('read'), some]);
    const there = (await rows('plan', reader)).filter(({ outcome }) => outcome === 'there');
    assert.equal(types(there), TYPES);
    assert.ok(there.every(({ as, type }) => type === 'channel' || as.startsWith('HIDDEN')));
    for (const word of ['switch_on', 'undo']) assert.equal(await rows(word, reader), [], word);
  });

  test('whoever may change it is told of all of it', async () => {
    const writer = await app.token(limits('write', 'delete'));
    for (const word of ['switch_on', 'undo']) {
      const found = await rows(word, writer);
      assert.equal(types(found), TYPES, word);
      assert.ok(
        found.every(({ outcome }) => ['there', 'kept', 'deleted'].includes(outcome)),
        word,
      );
    }
  });

  test('a name that is taken is told to nobody who may not have it', async () => {
    const none = await app.token([some]);
    const notes = async (name: string) => {
      const text = `endpoints:\n- {name: ${name}, url: "https://a.example.net/", conditions: ["[STATUS] == 200"]}`;
      const answer = await call(app, 'monitor_import_plan', fileOf('g.yaml', text), none);
      return answer.rows.map((row: any) =>
        row.notes.map((note: string) => note.replaceAll(name, 'N')),
      );
    };
    assert.equal(await notes('HIDDEN-3'), await notes('free'));
  });

  test.run();
}
