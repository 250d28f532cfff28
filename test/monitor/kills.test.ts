// proof only: 120
// watchdog: 900
/** Servers, two on one Postgres or one on SQLite, that are killed between results and verdicts: every outage is stored once, and ends (plugins/monitor/src/engine). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { startFleet } from '../process/fleet.ts';
import { any, until, up } from '../process/havoc.ts';
import { makePlace } from '../process/place.ts';
import { rpc, startServer, superToken } from '../process/server.ts';
import type { Read } from '../process/stored.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';

const MONITORS = 6;
const KILLS = loop(3, 20);
const TABLES = '[monitor]\nmin_interval_s = 5\n';
const SETTLE_MS = 60_000;

/** A target that answers well or not. */
async function startTarget() {
  const target = { isWell: true, url: '', stop: async () => {} };
  const server = createServer((_request, response) => {
    response.writeHead(target.isWell ? 200 : 500).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  target.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  target.stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return target;
}

async function arrange(url: string, token: string, address: string): Promise<void> {
  for (let at = 0; at < MONITORS; at++) {
    const times = { interval_s: 5, timeout_s: 2, retries: 0 };
    const monitor = { name: `m${at}`, kind: 'http', spec: { url: address }, ...times };
    const { error } = await rpc(url, 'monitor_create', { token, monitor });
    assert.not(error, JSON.stringify(error));
  }
}

const areAll = (read: Read, state: number) => async () => {
  const rows = await read('select state from monitor_verdict');
  return rows.length === MONITORS && rows.every((row) => Number(row['state']) === state);
};

/** Each verdict that is down has one open outage, the others none, and outages of one monitor never overlap. */
async function compare(read: Read): Promise<number> {
  const outages = await read(
    'select monitor_id, from_at, to_at from monitor_outage order by monitor_id, from_at, id',
  );
  let before: Record<string, unknown> | undefined;
  for (const outage of outages) {
    assert.ok(outage['to_at'] !== null, 'all are up, so no outage is open');
    if (before?.['monitor_id'] === outage['monitor_id'])
      assert.ok(Number(before?.['to_at']) <= Number(outage['from_at']), 'outages overlap');
    before = outage;
  }
  const changes = await read('select monitor_id, at, state from monitor_change where state = 2');
  assert.is(changes.length, outages.length, 'each time that it was down is told once');
  return outages.length;
}

interface Scene {
  readonly read: Read;
  readonly target: Awaited<ReturnType<typeof startTarget>>;
  /** Kills a server, and starts it again. */
  readonly kill: () => Promise<void>;
}

/** The target fails and comes back; servers are killed at the moments at which verdicts are made. */
async function play({ read, target, kill }: Scene): Promise<void> {
  await until('all are up', areAll(read, 0), SETTLE_MS);
  for (let round = 0; round < KILLS; round++) {
    target.isWell = round % 2 === 1;
    await pause(500 + Math.random() * 4_000);
    await kill();
    await until('all are judged', areAll(read, target.isWell ? 0 : 2), SETTLE_MS);
  }
  target.isWell = true;
  await kill();
  await until('all are up again', areAll(read, 0), SETTLE_MS);
  assert.is(await compare(read), MONITORS * Math.ceil(KILLS / 2));
}

const test = suite('monitors: kills');

test(`${KILLS} kills of two servers lose no outage, and tell none twice`, async () => {
  const target = await startTarget();
  const fleet = await startFleet(2, { tables: TABLES });
  try {
    await arrange(any(up(fleet)).site.url, fleet.superToken, target.url);
    const kill = async () => {
      const member = any(fleet.members);
      await fleet.end(member, 'SIGKILL');
      await fleet.start(member);
    };
    await play({ read: fleet.read, target, kill });
  } finally {
    await fleet.remove();
    await target.stop();
  }
});

test(`${KILLS} kills of one server on SQLite lose no outage, and tell none twice`, async () => {
  const target = await startTarget();
  const place = await makePlace('sqlite', { tables: TABLES });
  let server = await startServer(place.site);
  try {
    await arrange(place.site.url, superToken(server.output()), target.url);
    const kill = async () => {
      await server.end('SIGKILL');
      server = await startServer(place.site, { quiet: true });
    };
    await play({ read: place.read, target, kill });
  } finally {
    await server.end('SIGKILL');
    await place.remove();
    await target.stop();
  }
});

test.run();
