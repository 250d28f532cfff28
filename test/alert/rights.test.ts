import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from '../bus-kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS, report } from './kit.ts';

const A = '0b6f1c52-7a35-4d0e-9c1b-00000000a1a1';
const B = '0b6f1c52-7a35-4d0e-9c1b-00000000b2b2';

const CALLERS = ['none', 'read of A', 'ack of A', 'write of A', 'write', 'super'] as const;
type Caller = (typeof CALLERS)[number];

const ruleOf = (name: string, scope: object) => ({
  ...{ name, source: 'machine', scope, condition: 'cpu_usage > 1000' },
});
const ofA = { agents: [A] };
const all = { all: true };
const once = { from: 4_102_440_000_000, to: 4_102_443_600_000 };
const windowOf = (scope: object) => ({ name: 'new window', scope, zone: 'UTC', once });
const silenceOf = (scope: object) => ({ scope, reason: 'works', ends_at: 4_102_444_800_000 });
const range = { from: 1_000, to: 60_000 };
const change = { severity: 'info' };

/** Letters of the callers, in their order, that get past the rights: `-` is refused with 102. */
// biome-ignore format: one method per line
const TABLE: readonly (readonly [letters: string, method: string, params: (ids: Ids) => object])[] = [
  ['---wgs', 'alert_rule_create', () => ({ rule: ruleOf('of A', ofA) })],
  ['----gs', 'alert_rule_create', () => ({ rule: ruleOf('of A', { agents: [A, B] }) })],
  ['----gs', 'alert_rule_create', () => ({ rule: ruleOf('of all', all) })],
  ['----gs', 'alert_rule_create', () => ({ rule: ruleOf('of all', { tags: ['web'] }) })],
  ['---wgs', 'alert_rule_update', () => ({ name: 'of A', change })],
  ['----gs', 'alert_rule_update', () => ({ name: 'of A', change: { scope: all } })],
  ['----gs', 'alert_rule_update', () => ({ name: 'of all', change: { scope: ofA } })],
  ['----gs', 'alert_rule_update', () => ({ name: 'unknown', change })],
  ['---wgs', 'alert_rule_delete', () => ({ name: 'of A' })],
  ['----gs', 'alert_rule_delete', () => ({ name: 'of all' })],
  ['----gs', 'alert_rule_delete', () => ({ name: 'unknown' })],
  ['---wgs', 'alert_rule_set_enable', () => ({ name: 'of A', enable: false })],
  ['----gs', 'alert_rule_set_enable', () => ({ name: 'unknown', enable: false })],
  ['----gs', 'alert_rule_reset', () => ({ name: 'CPU busy' })],
  ['----gs', 'alert_rule_reset', () => ({ name: 'unknown' })],
  // Narrowed to A: the reset would give it all machines again.
  ['----gs', 'alert_rule_reset', () => ({ name: 'Disk full' })],
  ['-r---s', 'alert_rule_get', () => ({ name: 'of A' })],
  ['-----s', 'alert_rule_get', () => ({ name: 'of all' })],
  ['-----s', 'alert_rule_get', () => ({ name: 'unknown' })],
  ['-r---s', 'alert_rule_test', () => ({ rule: ruleOf('x', ofA), ...range })],
  ['-----s', 'alert_rule_test', () => ({ rule: ruleOf('x', all), ...range })],
  ['-r---s', 'alert_get', ({ alert }) => ({ id: alert })],
  ['-----s', 'alert_get', () => ({ id: 999_999 })],
  ['--a--s', 'alert_ack', ({ alert }) => ({ id: alert })],
  ['-----s', 'alert_ack', () => ({ id: 999_999 })],
  ['--a--s', 'alert_unack', ({ alert }) => ({ id: alert })],
  ['--a--s', 'alert_note', ({ alert }) => ({ id: alert, text: 'x' })],
  ['-----s', 'alert_note', () => ({ id: 999_999, text: 'x' })],
  ['---wgs', 'alert_close', ({ alert }) => ({ id: alert })],
  ['----gs', 'alert_close', () => ({ id: 999_999 })],
  ['-----s', 'alert_silence_create', () => ({ silence: silenceOf(ofA) })],
  ['-----s', 'alert_silence_preview', () => ({ scope: ofA })],
  ['-----s', 'alert_silence_end', ({ silence }) => ({ id: silence })],
  ['-----s', 'alert_silence_end', () => ({ id: 999_999 })],
  ['---wgs', 'alert_window_create', () => ({ window: windowOf(ofA) })],
  ['----gs', 'alert_window_create', () => ({ window: windowOf({ severity: 'info' }) })],
  ['---wgs', 'alert_window_update', () => ({ name: 'of A', change: { enable: false } })],
  ['----gs', 'alert_window_update', () => ({ name: 'of A', change: { scope: { severity: 'info' } } })],
  ['----gs', 'alert_window_update', () => ({ name: 'unknown', change: { enable: false } })],
  ['---wgs', 'alert_window_delete', () => ({ name: 'of A' })],
  ['----gs', 'alert_window_delete', () => ({ name: 'unknown' })],
  ['----gs', 'alert_policy_set', () => ({ policy: { name: 'nights', steps: [] } })],
  ['----gs', 'alert_policy_delete', () => ({ name: 'nights' })],
];
interface Ids {
  readonly alert: number;
  readonly silence: number;
}

const LISTS = [
  ['alert_list', ({ alerts }: any) => alerts],
  ['alert_history', (events: any) => events],
  ['alert_rule_list', (rules: any) => rules],
  ['alert_silence_list', (silences: any) => silences],
  ['alert_window_list', (windows: any) => windows],
  ['alert_policy_list', (policies: any) => policies],
] as const;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: rights (${dialect})`);
  let app: TestApp;
  let ids: Ids;
  const tokens = new Map<Caller, string>();

  const ask = (token: string, method: string, params: object): Promise<any> =>
    app.rpc({ jsonrpc: '2.0', id: 1, method, params: { token, ...params } });
  const sure = async (method: string, params: object) => {
    const { error, result } = await ask(app.superToken, method, params);
    assert.is(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result;
  };
  /** Things as they were: a call that was let past may have changed or deleted them. */
  const restore = async () => {
    for (const [name, scope] of [
      ['of A', ofA],
      ['of all', all],
    ] as const) {
      await ask(app.superToken, 'alert_rule_delete', { name });
      await sure('alert_rule_create', { rule: ruleOf(name, scope) });
    }
    for (const name of ['of A', 'new window'])
      await ask(app.superToken, 'alert_window_delete', { name });
    await sure('alert_window_create', { window: { ...windowOf(ofA), name: 'of A' } });
    await sure('alert_rule_update', { name: 'Disk full', change: { scope: ofA } });
  };

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    await report(app, A);
    await report(app, B);
    const hot = { ...ruleOf('hot', ofA), condition: 'cpu_usage > 50' };
    await sure('alert_rule_create', { rule: hot });
    await report(app, A, { cpu_usage: 970 });
    const open = async () => (await sure('alert_list', {})).alerts[0];
    await until('open', async () => (await open()) !== undefined);
    const silence = await sure('alert_silence_create', { silence: silenceOf(ofA) });
    ids = { alert: (await open()).id, silence: silence.id };
    const limit = (scope: object | string, word: string) =>
      app.token([{ scopes: [scope as any], permissions: [{ alert: word }] }]);
    tokens.set('none', await app.token([]));
    for (const word of ['read', 'ack', 'write'] as const)
      tokens.set(`${word} of A`, await limit({ agent_uuid: A }, word));
    tokens.set('write', await limit('global', 'write'));
    tokens.set('super', app.superToken);
    await restore();
  });
  test.after(() => app?.stop());

  test('whether a name or an id is known changes no refusal', async () => {
    const token = tokens.get('none') as string;
    for (const [method, known, unknown, more] of [
      ['alert_rule_get', { name: 'of A' }, { name: 'unknown' }, {}],
      ['alert_rule_delete', { name: 'of all' }, { name: 'unknown' }, {}],
      ['alert_get', { id: ids.alert }, { id: 999_999 }, {}],
      ['alert_ack', { id: ids.alert }, { id: 999_999 }, {}],
      ['alert_silence_end', { id: ids.silence }, { id: 999_999 }, {}],
      ['alert_window_delete', { name: 'of A' }, { name: 'unknown' }, {}],
      ['alert_window_update', { name: 'of A' }, { name: 'unknown' }, { change: { enable: true } }],
    ] as const) {
      const { error } = await ask(token, method, { ...known, ...more });
      assert.equal((await ask(token, method, { ...unknown, ...more })).error, error, method);
    }
  });

  test('lists are empty for a caller without any right, and show a reader what it may read', async () => {
    for (const [method, entries] of LISTS) {
      const { result } = await ask(tokens.get('none') as string, method, {});
      assert.equal(entries(result), [], method);
      assert.ok(entries(await sure(method, {})).length > 0, method);
    }
    const reader = tokens.get('read of A') as string;
    const { result } = await ask(reader, 'alert_rule_list', {});
    assert.equal(result.map(({ name }: any) => name).sort(), ['Disk full', 'hot', 'of A']);
  });

  test('when an alert ended last is told of those that the caller may read', async () => {
    await sure('alert_close', { id: ids.alert });
    const last = async (caller: Caller) =>
      (await ask(tokens.get(caller) as string, 'alert_list', {})).result.last_closed_at;
    assert.is(await last('none'), null);
    assert.ok((await last('read of A')) > 0);
  });

  test('a token of one machine does not learn which policies there are', async () => {
    const token = tokens.get('write of A') as string;
    const said = [];
    for (const policy of ['default', 'unknown']) {
      const rule = { ...ruleOf('of policy', ofA), policy };
      said.push((await ask(token, 'alert_rule_create', { rule })).error);
      said.push(
        (await ask(token, 'alert_rule_update', { name: 'of A', change: { policy } })).error,
      );
    }
    assert.is(said[0].code, 102);
    for (const error of said) assert.equal(error, said[0]);
  });

  test('whoever resets a default rule owns it', async () => {
    const token = tokens.get('write') as string;
    const { error, result } = await ask(token, 'alert_rule_reset', { name: 'Disk full' });
    assert.is(error, undefined);
    assert.equal([result.owner, result.scope], [token.split(':')[0], all]);
    await restore();
  });

  for (const [at, [letters, method, params]] of TABLE.entries())
    test(`${method} (${at}) asks for its right, and tells nothing else to those without it`, async () => {
      await restore();
      const refusals = new Set<string>();
      for (const [place, caller] of CALLERS.entries()) {
        const { error } = await ask(tokens.get(caller) as string, method, params(ids));
        const isRefused = error?.code === 102;
        assert.is(isRefused, letters[place] === '-', `${caller}: ${JSON.stringify(error)}`);
        if (isRefused) refusals.add(error.message);
        else assert.ok(!(error?.code < 0), JSON.stringify(error));
      }
      assert.ok(refusals.size <= 1);
    });

  test.run();
}
