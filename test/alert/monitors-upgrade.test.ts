// proof only: 45
// Data of a version without monitors, with rules that people touched: the rules about monitors are there once, and tell nobody anything.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import * as assert from 'uvu/assert';
import { makePlace, type Place } from '../process/place.ts';
import { rpc, type ServerProcess, startServer } from '../process/server.ts';
import { suite } from '../runner/suite.ts';

const OLD = join(import.meta.dirname, '..', 'upgrade', '0.10.0');
const ABOUT_MONITORS = [
  'certificate',
  'certificate-critical',
  'cut-off',
  'heartbeat-late',
  'monitor-down',
];
/** What people did: a rule of their own with a name that one of the new ones has, a changed one, a deleted one. */
const TOUCHED = `update alert_rule set name = 'Monitor down' where name = 'edge busy';
  update alert_rule set severity = 2, touched = '["severity"]' where shipped = 'memory';
  update alert_rule set deleted = 1 where shipped = 'reports-lost';`;

async function load(place: Place, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const { dir, config } = place.site;
  for (const name of ['static', 'db']) mkdirSync(join(dir, name), { recursive: true });
  const read = (name: string) => readFileSync(join(OLD, name));
  writeFileSync(join(dir, 'db', 'notes.db'), gunzipSync(read('notes.db.gz')));
  if (dialect === 'sqlite') {
    writeFileSync(join(dir, 'svc.db'), gunzipSync(read('svc.db.gz')));
    const db = new DatabaseSync(join(dir, 'svc.db'));
    db.exec(TOUCHED);
    return db.close();
  }
  const connectionString = /^database_url = "(.*)"$/m.exec(readFileSync(config, 'utf8'))?.[1];
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(read('postgres.sql').toString());
  await client.query(`set search_path to public; ${TOUCHED}`);
  await client.end();
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`alert: rules about monitors after an update (${dialect})`);
  const { token } = JSON.parse(readFileSync(join(OLD, `${dialect}.json`), 'utf8'));
  let place: Place;
  let server: ServerProcess;
  const call = async (method: string, params: object = {}): Promise<any> => {
    const { result, error } = await rpc(place.site.url, method, { token, ...params });
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const start = async () => {
    server = await startServer(place.site, { quiet: true });
  };

  test.before(async () => {
    place = await makePlace(dialect, { head: 'static_path = "./static/"\ndb_path = "./db/"' });
    await load(place, dialect);
    await start();
  });
  test.after(async () => {
    await server?.end('SIGTERM');
    await place?.remove();
  });

  test('each is there once, also after the next start, and what people did stays', async () => {
    for (let time = 0; time < 2; time++) {
      const rules = await call('alert_rule_list');
      const shipped = rules.map((one: any) => one.shipped).filter((id: any) => id !== null);
      assert.equal(new Set(shipped).size, shipped.length);
      for (const id of ABOUT_MONITORS) assert.ok(shipped.includes(id), id);
      assert.not(shipped.includes('reports-lost'));
      const by = (name: string) => rules.find((one: any) => one.name === name);
      assert.equal([by('Monitor down').shipped, by('Monitor down').source], [null, 'machine']);
      assert.is(by('Memory pressure').severity, 'critical');
      assert.is(by('CPU busy').enable, false);
      const own = rules.find((one: any) => one.shipped === 'monitor-down');
      assert.equal([own.enable, own.problem, own.name !== 'Monitor down'], [true, null, true]);
      await server.end('SIGTERM');
      await start();
    }
  });

  test('they count among the rules that a first channel is offered', async () => {
    const rules = await call('alert_rule_list');
    const told = rules.filter((one: any) => one.enable && one.notify && one.policy === null);
    const shipped = told.map((one: any) => one.shipped);
    for (const id of ABOUT_MONITORS) assert.ok(shipped.includes(id), id);
  });

  test('no monitor is there, and none opens an alert', async () => {
    const count = async (text: string) => Number((await place.read(text))[0]?.['n']);
    const before = await count('select count(*) as n from notify_outbox');
    const { monitors } = await call('monitor_list');
    assert.equal(monitors, []);
    // Rules about monitors are judged every ten seconds.
    await pause(12_000);
    const of = "select count(*) as n from alert_event where subject_kind in ('monitor', 'server')";
    assert.is(await count(of), 0);
    assert.is(await count('select count(*) as n from notify_outbox'), before);
    assert.not.match(server.output(), /\b(?:WARN|ERROR)\b/);
  });

  test.run();
}
