// Every rule that people begin from, templates and default rules, over data on which it holds: it can be played, checked and does open.

import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { DEFAULTS } from '../../plugins/alert/src/rules/defaults.ts';
import { until } from '../bus-kit.ts';
import { dynamicReport, failure, summaryReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { PLUGINS } from './kit.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const GIB = 2 ** 30;
const FROM = Math.floor(Date.now() / DAY - 5) * DAY;
const MINUTES = 50;

interface Begun {
  readonly source: string;
  readonly condition: string;
}
// The sources of the dashboard are not part of this program.
const web = new URL('../../plugins/dashboard/web/pages/alerts/rules/templates.ts', import.meta.url);
const { TEMPLATES }: { TEMPLATES: Record<string, Begun> } = await import(web.href);

const rules: readonly { readonly id: string; readonly rule: Begun }[] = [
  ...Object.entries(TEMPLATES).map(([id, rule]) => ({ id: `template ${id}`, rule })),
  ...[...DEFAULTS].map(([id, rule]) => {
    const { source, condition, clear, for_s, clear_for_s } = rule;
    return { id: `default rule ${id}`, rule: { source, condition, clear, for_s, clear_for_s } };
  }),
];
/** Conditions that cannot be played, because no values are stored, and the words that say so. */
const REFUSED: readonly [text: RegExp, why: RegExp][] = [
  [/predict|traffic/, /traffic, predict and windows over an hour cannot be played/],
  [
    /event ==|problem ==|state ==|tls\.|^ms >/,
    /of events, of the server and of monitors no values are stored/,
  ],
];

const full = {
  disk: [
    {
      kind: 'Ssd',
      name: 'vda1',
      file_system: 'ext4',
      mount_point: '/',
      total_space: 100 * GIB,
      available_space: GIB,
      is_removable: false,
      is_read_only: false,
      read_speed: 0,
      write_speed: 0,
    },
  ],
  gpu: [{ ...dynamicReport().gpu[0], temperature: 99 }],
};
const summary = {
  ...{ cpu_usage: 990, gpu_usage: 99, load_five: 10_000, uptime: 100 },
  ...{ used_memory: 99 * GIB, total_memory: 100 * GIB, available_memory: GIB },
  ...{ used_swap: 99 * GIB, total_swap: 100 * GIB, total_space: 100 * GIB, available_space: GIB },
  ...{ transmit_speed: 10 ** 9, receive_speed: 10 ** 9, process_count: 9_999 },
  ...{ tcp_connections: 99_999 },
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: templates are played (${dialect})`);
  const uuid = randomUUID();
  let app: TestApp;
  const call = (method: string, params: object = {}) =>
    app.call(method, { token: app.superToken, ...params });
  const play = (rule: object) =>
    call('alert_rule_test', {
      rule: { name: 'r', scope: { agents: [uuid] }, ...rule },
      ...{ from: FROM, to: FROM + (MINUTES + 30) * MINUTE },
    });
  const check = (rule: { source: string; condition: string }) =>
    call('alert_rule_check', { source: rule.source, condition: rule.condition });

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    for (let n = 0; n < MINUTES; n++) {
      const time = FROM + n * MINUTE;
      const reports = { ...summaryReport({ uuid, time }), ...summary };
      await app.call('agent_report_dynamic_summary', [app.superToken, reports]);
      await app.call('agent_report_dynamic', [
        app.superToken,
        dynamicReport({ uuid, time, ...full }),
      ]);
    }
    const ends = new Date(FROM + 3 * DAY).toISOString().slice(0, 10);
    await call('kv_create', { namespace: uuid });
    await call('kv_set_value', { namespace: uuid, key: 'metadata_expire_time', value: ends });
    // They came a minute and a half after the time that they name.
    await app.sql('update dynamic_monitoring_summary set storage_time = timestamp + 90000');
    const contract = { source: 'machine', condition: 'expires_in_days < 7' };
    await until(
      'the end of the contract is known',
      async () => (await check(contract)).true_now > 0,
    );
  });
  test.after(() => app.stop());

  for (const { id, rule } of rules)
    test(`${id}: ${rule.condition}`, async () => {
      const why = REFUSED.find(([text]) => text.test(rule.condition))?.[1];
      if (why) {
        const { code, message } = await failure(play(rule));
        assert.is(code, 108);
        assert.match(message, why);
        return;
      }
      const { episodes } = await play(rule);
      if (rule.source !== 'presence') assert.is(episodes.length, 1);
      const isNewest = rule.source === 'machine' && !/avg\(|clock_offset_s/.test(rule.condition);
      if (isNewest) assert.is((await check(rule)).true_now, 1);
    });

  test('how many cores there are counts', async () => {
    const played = async (condition: string) =>
      (await play({ source: 'machine', condition })).episodes.length;
    const { per_core } = dynamicReport().cpu;
    assert.is(await played(`cores == ${per_core.length}.0`), 1);
    assert.is(await played(`cores > ${per_core.length}`), 0);
  });

  test.run();
}
