// Who sees, acknowledges and hides alerts of monitors, and whose rules look at them.

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { goes, pass, SECOND, World } from './monitors-kit.ts';

const ENDS = 4_102_444_800_000;
const CALLERS = [
  'none',
  'read shop*',
  'ack shop*',
  'write shop*',
  'silence shop*',
  'super',
] as const;
type Caller = (typeof CALLERS)[number];

const ruleOf = (scope: object, over: object = {}) => ({
  ...{ name: 'made', source: 'monitor', scope, condition: 'state == "degraded"' },
  ...over,
});
const shop = { monitors: ['shop'] };
const both = { monitors: ['shop', 'other'] };
const once = { from: ENDS - 60_000, to: ENDS };
const windowOf = (scope: object) => ({ name: 'made', scope, once });
const silenceOf = (scope: object) => ({ scope, reason: 'works', ends_at: ENDS });

interface Ids {
  readonly shop: number;
  readonly other: number;
}

/** Letters of the callers, in their order, that get past the rights: `-` is refused with 102. */
// biome-ignore format: one method per line
const TABLE: readonly (readonly [letters: string, method: string, params: (ids: Ids) => object])[] = [
  ['---w-s', 'alert_rule_create', () => ({ rule: ruleOf(shop), dry_run: true })],
  ['-----s', 'alert_rule_create', () => ({ rule: ruleOf(both), dry_run: true })],
  ['-----s', 'alert_rule_create', () => ({ rule: ruleOf({ tags: ['web'] }), dry_run: true })],
  ['-----s', 'alert_rule_create', () => ({ rule: ruleOf({ all: true }), dry_run: true })],
  ['-r---s', 'alert_rule_get', () => ({ name: 'of shop' })],
  ['-r---s', 'alert_get', (ids) => ({ id: ids.shop })],
  ['-----s', 'alert_get', (ids) => ({ id: ids.other })],
  ['--a--s', 'alert_ack', (ids) => ({ id: ids.shop })],
  ['--a--s', 'alert_unack', (ids) => ({ id: ids.shop })],
  ['-----s', 'alert_ack', (ids) => ({ id: ids.other })],
  ['--a--s', 'alert_note', (ids) => ({ id: ids.shop, text: 'x' })],
  ['----ss', 'alert_silence_preview', () => ({ scope: shop })],
  ['-----s', 'alert_silence_preview', () => ({ scope: both })],
  ['----ss', 'alert_silence_preview', () => ({ scope: { monitors: ['shop*'] } })],
  ['-----s', 'alert_silence_preview', () => ({ scope: { monitors: ['sho*'] } })],
  ['-----s', 'alert_rule_create', () => ({ rule: ruleOf({ monitors: ['s*'] }), dry_run: true })],
  ['-----s', 'alert_silence_preview', () => ({ scope: { tags: ['web'] } })],
  ['----ss', 'alert_silence_create', () => ({ silence: silenceOf({ ...shop, severity: 'info' }) })],
  ['---w-s', 'alert_window_create', () => ({ window: windowOf(shop), dry_run: true })],
  ['-----s', 'alert_window_create', () => ({ window: windowOf(both), dry_run: true })],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: rights to monitors (${dialect})`);
  const tokens = new Map<Caller, string>();
  let app: TestApp;
  let world: World;
  let ids: Ids;
  const call = (method: string, params: object, token = app.superToken) =>
    app.call(method, { token, ...params });
  const ask = (token: string, method: string, params: object) =>
    call(method, params, token).then(
      (result) => ({ code: 0, result }),
      ({ code }) => ({ code, result: undefined }),
    );
  const openOf = async (rule: string, token?: string): Promise<string[]> =>
    (await call('alert_list', {}, token)).alerts
      .filter((one: any) => one.rule === rule)
      .map(({ subject }: any) => subject.id)
      .sort();

  test.before(async () => {
    world = new World();
    app = await bootForTest(world.plugins, {}, { dialect, clock: true });
    await pass(app, 20 * SECOND);
    await call('alert_rule_create', { rule: ruleOf(shop, { name: 'of shop' }) });
    for (const name of ['shop', 'other']) world.down(name, app.clock.now(), { tags: ['web'] });
    await goes(app, 'open', async () => (await openOf('Monitor down')).length === 2);
    const { alerts } = await call('alert_list', {});
    const idOf = (name: string) => alerts.find(({ subject }: any) => subject.id === name).id;
    ids = { shop: idOf('shop'), other: idOf('other') };
    tokens.set('none', await app.token([]));
    for (const word of ['read', 'ack', 'write', 'silence'] as const) {
      const permissions = [{ alert: word }, { monitor: 'read' }];
      const limit = [{ scopes: [{ monitor: 'shop*' }], permissions }];
      tokens.set(`${word} shop*`, await app.token(limit as any));
    }
    tokens.set('super', app.superToken);
  });
  test.after(() => app.stop());

  for (const [letters, method, params] of TABLE)
    test(`${method} ${JSON.stringify(params({ shop: 1, other: 2 }))}: ${letters}`, async () => {
      const got = [];
      for (const [at, caller] of CALLERS.entries()) {
        const { code } = await ask(tokens.get(caller) as string, method, params(ids));
        got.push(code === 102 ? '-' : letters[at] === '-' ? '!' : letters[at]);
      }
      assert.is(got.join(''), letters);
    });

  test('lists, history and counts have what the caller may read', async () => {
    const reader = tokens.get('read shop*') as string;
    assert.equal(await openOf('Monitor down', reader), ['shop']);
    const { counts } = await call('alert_list', {}, reader);
    assert.is(counts.critical, 1);
    const history = await call('alert_history', {}, reader);
    assert.equal([...new Set(history.map(({ subject }: any) => subject.id))], ['shop']);
    assert.equal(await openOf('Monitor down', tokens.get('none')), []);
  });

  test('a subscription shows what the caller may read', async () => {
    const socket = await app.connect();
    await socket.call('alert_subscribe', { token: tokens.get('read shop*') });
    const next = socket.next();
    await pass(app, 4 * SECOND);
    const { alerts } = (await next).params.result;
    assert.equal(
      alerts.map(({ subject }: any) => subject.id),
      ['shop'],
    );
    socket.close();
  });

  test('rights go by the name that a monitor has, of one that was deleted by the name that it had', async () => {
    const reader = tokens.get('read shop*') as string;
    for (const [from, to, seen] of [
      ['other', 'shop-2', ['shop', 'shop-2']],
      ['shop-2', 'other', ['shop']],
    ] as const) {
      world.rename(from, to);
      assert.equal(await openOf('Monitor down', reader), seen);
    }
    world.down('shop-3', app.clock.now());
    await goes(app, 'open', async () => (await openOf('Monitor down', reader)).length === 2);
    const { alerts } = await call('alert_list', {}, reader);
    const { id } = alerts.find(({ subject }: any) => subject.id === 'shop-3');
    await call('alert_note', { id, text: 'x' });
    world.list.delete('shop-3');
    await goes(app, 'over', async () => (await openOf('Monitor down', reader)).length === 1);
    const kinds = (await call('alert_history', {}, reader))
      .filter(({ subject }: any) => subject.id === 'shop-3')
      .map(({ kind }: any) => kind);
    assert.equal(kinds, ['expired', 'note', 'opened']);
    const other = await app.token([
      { scopes: [{ monitor: 'other' }], permissions: [{ alert: 'read' }] },
    ] as any);
    const seen = (await call('alert_history', {}, other)).map(({ subject }: any) => subject.id);
    assert.equal([...new Set(seen)], ['other']);
  });

  test('a rule looks at monitors that its owner may see, and forgets them with the right', async () => {
    const limit = (name: string) => [
      { scopes: ['global'], permissions: [{ alert: 'write' }] },
      { scopes: [{ monitor: name }], permissions: [{ monitor: 'read' }] },
    ];
    const token = await app.token(limit('shop*') as any);
    const rule = ruleOf({ all: true }, { name: 'owned', condition: 'places_down > 0' });
    await call('alert_rule_create', { rule }, token);
    await goes(app, 'open', async () => (await openOf('owned')).length > 0);
    assert.equal(await openOf('owned'), ['shop']);
    const { matches } = await call(
      'alert_rule_check',
      { source: 'monitor', condition: 'places_down > 0' },
      token,
    );
    assert.is(matches, 1);
    const target_token = token.split(':')[0];
    await app.call('token_edit', [app.superToken, target_token, limit('other*')]);
    const blind = ruleOf(shop, { name: 'blind' });
    const { problem } = await call('alert_rule_create', { rule: blind }, token);
    assert.is(problem, 'it applies to no monitor that its owner may see');
    await goes(app, 'forgotten', async () => (await openOf('owned')).join() === 'other');
  });

  test.run();
}
