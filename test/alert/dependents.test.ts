// Silences, windows and policies of a token that is deleted or loses rights (docs/protocol/alert.md §2).

import { randomUUID } from 'node:crypto';
import { MaintenanceWindows } from '@svc/plugin-alert/api';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from '../bus-kit.ts';
import { suite } from '../runner/suite.ts';
import { kernelOf } from '../shared-servers.ts';
import { opened, PLUGINS } from './settings-kit.ts';

const HOUR = 3_600_000;
const keyOf = (token: string) => token.split(':')[0];

for (const dialect of ['sqlite', 'postgres'] as const)
  for (const on_delete of ['keep', 'suspend'] as const) {
    const test = suite(`alert: what hangs on a token (${dialect}, ${on_delete})`);
    let app: TestApp;
    test.before(async () => {
      const config = { token: { on_delete } };
      app = await bootForTest([...PLUGINS, 'status-page'], config, { dialect, clock: true });
    });
    test.after(() => app.stop());
    const call = (method: string, params: object, token = app.superToken): Promise<any> =>
      app.call(method, { token, ...params });
    const limits = (...words: string[]) => [
      {
        scopes: ['global'],
        permissions: [...words.map((alert) => ({ alert })), { status_page: 'write' }],
      },
    ];
    const now = () => app.clock.now();
    const hiddenBy = async (machine: string) =>
      (await call('alert_list', { agents: [machine] })).alerts[0].hidden_by?.kind ?? null;
    const onPage = () =>
      kernelOf(app)
        .use(MaintenanceWindows)
        .active('page', now())
        .map(({ name }) => name);
    /** Two alerts: one hidden by a silence of a token, one by its window. */
    const hidden = async () => {
      const token = await app.token(limits('write', 'silence'));
      const [silenced, quiet, name] = [randomUUID(), randomUUID(), randomUUID()];
      await opened(app, silenced);
      await opened(app, quiet);
      const silence = { scope: { agents: [silenced] }, reason: 'works', ends_at: now() + HOUR };
      const { id } = await call('alert_silence_create', { silence }, token);
      const once = { from: now() - 1_000, to: now() + HOUR };
      const window = { name, scope: { agents: [quiet] }, once, public: ['page'] };
      await call('alert_window_create', { window }, token);
      await call('alert_policy_set', { policy: { name, steps: [], wait_s: 7 } }, token);
      assert.equal([await hiddenBy(silenced), await hiddenBy(quiet)], ['silence', 'window']);
      assert.ok(onPage().includes(name));
      return { token, silenced, quiet, name, id };
    };
    type Hidden = Awaited<ReturnType<typeof hidden>>;
    const state = async ({ silenced, quiet, id, name }: Hidden) => {
      const silence = (await call('alert_silence_list', {})).find((one: any) => one.id === id);
      const window = (await call('alert_window_list', {})).find((one: any) => one.name === name);
      const by = [await hiddenBy(silenced), await hiddenBy(quiet)];
      return [...by, silence.hides, window.active, onPage().includes(name)];
    };
    const IN_FORCE = ['silence', 'window', 1, true, true];
    const WITHOUT = [null, null, 0, false, false];

    test('they are named as dependents, and a deleted token suspends what hides, never a policy', async () => {
      const made = await hidden();
      await call('token_delete', { target_token: keyOf(made.token) });
      const given = { target_token: keyOf(made.token) };
      const { dependents } = await call('token_dependents', given);
      const named = Object.fromEntries(dependents.map(({ kind, names }: any) => [kind, names]));
      assert.equal(named['alert-silence'], [`${made.id}: works`]);
      assert.equal([named['alert-window'], named['alert-policy']], [[made.name], [made.name]]);
      const expected = on_delete === 'suspend' ? WITHOUT : IN_FORCE;
      await until(
        'decided',
        async () => JSON.stringify(await state(made)) === JSON.stringify(expected),
      );
      const policies = await call('alert_policy_list', {});
      assert.is(policies.find(({ name }: any) => name === made.name).wait_s, 7);
    });

    test('a token that loses the right hides nothing any more where tokens are suspended, and again with it', async () => {
      const made = await hidden();
      const edit = (...words: string[]) =>
        app.call('token_edit', [app.superToken, keyOf(made.token), limits(...words)]);
      await edit('read');
      await app.clock.advance(11_000);
      const expected = on_delete === 'suspend' ? WITHOUT : IN_FORCE;
      await until(
        'seen',
        async () => JSON.stringify(await state(made)) === JSON.stringify(expected),
      );
      await edit('write', 'silence');
      await app.clock.advance(11_000);
      await until(
        'back',
        async () => JSON.stringify(await state(made)) === JSON.stringify(IN_FORCE),
      );
    });

    test.run();
  }
