// proof only: 90
/**
 * The pace of reports of a server as it is delivered (agent.md §8), where the kit commits after 1 ms; then the files about
 * reports and subscriptions with it. `test/crash.test.ts` starts programs, which have it anyway.
 */
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, PLUGINS, summaryReport } from './agent-kit.ts';

const SWITCH = 'SVC_TEST_OWN_PACE';
const INTERVAL_MS = 200;
/** A timer of Node may come a millisecond early. */
const NEARLY_MS = INTERVAL_MS - 2;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: own pace (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    process.env[SWITCH] = '1';
    app = await bootForTest(
      PLUGINS,
      { monitoring_buffer: { flush_interval_ms: 500 } },
      { dialect },
    );
  });
  test.after(() => app.stop());

  const report = (time: number) =>
    app.call('agent_report_dynamic_summary', [app.superToken, summaryReport({ uuid: A, time })]);
  const commits = () =>
    app.records().flatMap(({ message, fields }) => (message === 'rows stored' ? [fields] : []));

  test('a report waits for others that share its commit, and 64 wait for nobody', async () => {
    await report(0);
    const before = commits().length;
    const begun = performance.now();
    await Promise.all([report(1), report(2)]);
    assert.ok(performance.now() - begun >= NEARLY_MS, 'it was committed before its time');
    assert.is(commits().length, before + 1);
    await Promise.all(Array.from({ length: 64 }, (_, n) => report(3 + n)));
    const { rows } = commits().at(-1) as { rows: number };
    assert.ok(rows > 2, 'rows of a moment share a commit');
  });

  test('a value of 500 ms, which former files have, counts as 200 and warns of nothing', () => {
    const warnings = app.records().filter(({ level }) => level === 'WARN');
    assert.equal(
      warnings.filter((record) => /flush_interval_ms/.test(JSON.stringify(record))),
      [],
    );
  });

  test.run();
}

for (const file of ['agent-reports', 'agent-subscribe'])
  await import(new URL(`./${file}.test.ts?own-pace`, import.meta.url).href);

const end = suite('agent: the pace of the kit');
end('is back for later files; those above had the other one to their ends', () => {
  assert.is(process.env[SWITCH], '1');
  delete process.env[SWITCH];
});
end.run();
