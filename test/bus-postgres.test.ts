// proof only: 18
/** Several servers on one Postgres hear each other: LISTEN and NOTIFY. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { Connection } from '../plugins/bus-postgres/src/connection.ts';
import { removeOld } from '../plugins/bus-postgres/src/store.ts';
import {
  acquainted,
  type BareBus,
  type BusProbe,
  bareBus,
  Probe,
  probe,
  sharing,
  until,
} from './bus-kit.ts';
import { busCases, type Three } from './bus-suite.ts';
import { memoryLog } from './kernel/database-kit.ts';
import { startPostgres } from './postgres.ts';
import { suite } from './runner/suite.ts';

const common = suite('bus: postgres');
let three: Three;

common.before(async () => {
  const one = await probe();
  three = [one, await probe(await sharing(one)), await probe(await sharing(one))];
  await acquainted(three);
});
common.after(async () => {
  for (const server of [...(three ?? [])].reverse()) await server.stop();
});
busCases(common, () => three);
common.run();

const test = suite('bus: postgres, when things fail');
const running: BusProbe[] = [];
const buses: BareBus[] = [];

const start = async (...args: Parameters<typeof probe>): Promise<BusProbe> => {
  const server = await probe(...args);
  running.push(server);
  return server;
};
const pair = async (): Promise<[BusProbe, BusProbe]> => {
  const one = await start();
  const two = await start(await sharing(one));
  await acquainted([one, two]);
  return [one, two];
};
/** A bus on the same database that can end as a killed process does: without a word. */
async function mortal(beside: BusProbe): Promise<{ id: string; kill(): Promise<void> }> {
  const { database } = (await sharing(beside)) as { database: { database_url: string } };
  const bare = bareBus(memoryLog());
  buses.push(bare);
  let connection: Connection | undefined;
  let dead = false;
  await bare.open({
    name: 'postgres',
    frameBytes: 7_800,
    connect: async (link) => {
      if (dead) throw new Error('dead');
      connection = await Connection.open({ connectionString: database.database_url }, link);
      return connection;
    },
  });
  return {
    id: bare.bus.id,
    async kill() {
      dead = true;
      await connection?.close();
    },
  };
}

/** Ends the connections of all buses on this database. @returns one row for each */
const cutOff = ({ app }: BusProbe): Promise<unknown[]> =>
  app.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'svc-server bus%' and datname = current_database()",
  );

const logged = ({ app }: BusProbe, pattern: RegExp) =>
  app.console.filter((line) => pattern.test(line)).length;

/** By the connection's end, and not by its silence of four seconds. */
const assertNoticed = ({ app }: BusProbe) => {
  const line = app.console.find((text) => /bus is not connected/.test(text)) ?? '';
  assert.match(line, /error=/);
  assert.not.match(line, /no answer/);
};

test.after.each(async () => {
  for (const bus of buses.splice(0)) await bus.close();
  for (const server of running.splice(0).reverse()) await server.stop();
});

test('a killed connection comes again, both read again, no server counts as dead, and the log says it once', async () => {
  const [one, two] = await pair();
  const before = [one, two].map((server) => server.rereads());
  const killed = await cutOff(one);
  assert.is(killed.length, 2);
  await until('both read again', () =>
    [one, two].every((server, at) => server.rereads() > before[at]!),
  );
  one.kernel.publish(Probe, 'again');
  await until('the message', () => two.heard.length === 1);
  for (const server of [one, two]) {
    assert.equal(
      server.events.filter(({ kind }) => kind === 'left'),
      [],
    );
    assert.is(logged(server, /bus is not connected/), 1);
    assert.is(logged(server, /bus is connected again/), 1);
    assertNoticed(server);
  }
});

test('a frame that is sent again because both ends had lost the connection is heard once', async () => {
  const [one, two] = await pair();
  const from = randomUUID();
  const send = (n: number) => {
    const frame = JSON.stringify({ v: 1, from, n, m: [['probe', n]] });
    return one.app.sql(
      `select pg_notify('svc_bus_' || substr(md5(current_schema()), 1, 8), '${frame}')`,
    );
  };
  const heard = () => two.heard.map(({ payload }) => payload);
  await send(1);
  await until('the first', () => heard().includes(1));
  await cutOff(one);
  await until('connected again', () => logged(two, /bus is connected again/) > 0);
  for (const n of [1, 2]) await send(n);
  await until('the second', () => heard().includes(2));
  assert.equal(heard(), [1, 2]);
});

test('what others say while a server is connecting is no loss for it', async () => {
  const one = await start();
  one.kernel.publish(Probe, 'before');
  const { database } = (await sharing(one)) as { database: { database_url: string } };
  const bare = bareBus(memoryLog());
  buses.push(bare);
  const { bus } = bare;
  const heard: unknown[] = [];
  const events: string[] = [];
  bus.subscribe('test', 'probe', (payload) => heard.push(payload));
  bus.watch('test', ({ kind }) => events.push(kind));
  await bare.open({
    name: 'postgres',
    frameBytes: 7_800,
    connect: async (link) => {
      const settings = { connectionString: database.database_url };
      const connection = await Connection.open(settings, link);
      one.kernel.publish(Probe, 'meanwhile');
      await until('a frame', () => heard.length > 0);
      return connection;
    },
  });
  await until('its server', () => events.includes('joined'));
  assert.equal([heard, events], [['meanwhile'], ['joined']]);
});

test('a database that takes the login and says no more costs no socket', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined));
    // AuthenticationOk, ReadyForQuery.
    socket.once('data', () => socket.write('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1'));
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const settings = { connectionString: `postgres://u:p@127.0.0.1:${port}/d`, query_timeout: 200 };
  const link = { id: 'x', receive() {}, lost() {}, failed() {} };
  const opened = await Connection.open(settings, link).catch((error) => error);
  assert.instance(opened, Error);
  await until('its socket is closed', () => sockets.size === 0);
  silent.close();
});

test('a server whose connection was cut off learns from the others what it missed', async () => {
  const [one, two] = await pair();
  const before = two.rereads();
  await cutOff(one);
  for (let n = 0; n < 200; n++) {
    one.kernel.publish(Probe, n);
    await pause(1);
  }
  // Both are connected again by then: what is sent before may reach no server.
  await until('connected', () =>
    [one, two].every((server) => logged(server, /bus is connected again/) > 0),
  );
  one.kernel.publish(Probe, 200);
  await until('the last', () => two.heard.some(({ payload }) => payload === 200));
  await until('read again', () => two.rereads() > before);
  const got = two.heard.map(({ payload }) => payload);
  assert.equal(
    got,
    [...new Set(got)].sort((a, b) => a - b),
  );
});

test('a copy in memory that went stale unnoticed is right again after the connection is', async () => {
  const plugins = ['token', 'server-info', 'static-bucket'];
  const one = await start({}, 'postgres', plugins);
  const two = await start(await sharing(one), 'postgres', plugins);
  await acquainted([one, two]);
  const token = one.app.superToken;
  await one.app.call('static-bucket_create', [token, 'b', 'b', false, false]);
  const cors = async () =>
    (await two.app.call('static-bucket_read', [token, 'b']).catch(() => undefined))?.cors;
  await until('the bucket on the other server', async () => (await cors()) === false);
  await one.app.sql("update static_file set cors = true where name = 'b'");
  await pause(1_200);
  assert.is(await cors(), false, 'memory is what is read');
  await cutOff(one);
  await until('the row as it is', async () => (await cors()) === true);
  assertNoticed(two);
});

test('a long message whose row is gone makes its receiver read again', async () => {
  const [one, two] = await pair();
  await one.app.sql('create rule forget as on insert to bus_message do instead nothing');
  const before = two.rereads();
  one.kernel.publish(Probe, 'x'.repeat(20_000));
  await until('read again', () => two.rereads() > before);
  assert.equal(two.heard, []);
});

test('rows of long messages are removed: direct ones when they are read, the others by the minute', async () => {
  const [one, two] = await pair();
  const bytes = new Uint8Array(30_000);
  one.bus.send(two.bus.id, Probe, bytes);
  await until('the direct one', () => two.heard.length === 1);
  const rows = async () =>
    Number((await one.app.sql('select count(*) as n from bus_message'))[0].n);
  await until('no row', async () => (await rows()) === 0);
  one.kernel.publish(Probe, bytes);
  await until('the other one', () => two.heard.length === 2);
  assert.is(await rows(), 1);
  await one.app.sql('update bus_message set sent_at = sent_at - 61000');
  await one.app.sql(
    "insert into bus_message values (gen_random_uuid(), (extract(epoch from now()) * 1000)::bigint, 'fresh')",
  );
  await removeOld(one.kernel.db);
  assert.is(await rows(), 1);
});

test('a server that is killed is gone for the others after three silent seconds', async () => {
  const [one, two] = await pair();
  const third = await mortal(one);
  await until('known', () => [one, two].every(({ bus }) => bus.servers().length === 2));
  const since = Date.now();
  await third.kill();
  await until('gone', () => [one, two].every((server) => server.bus.servers().length === 1));
  const took = Date.now() - since;
  // Not earlier: its last beat is a second old at most.
  assert.ok(took > 1_500, `${took} ms`);
  assert.equal(
    one.events.flatMap((event) => (event.kind === 'left' ? [event.server.id] : [])),
    [third.id],
  );
});

test('servers of other schemas of the same database are strangers', async () => {
  const one = await start();
  await one.app.sql('create schema other');
  const { database } = (await sharing(one)) as { database: { database_url: string } };
  const url = new URL(database.database_url);
  url.searchParams.set('options', '-c search_path=other');
  const stranger = await start({ database: { database_url: url.href } });
  one.kernel.publish(Probe, 'here');
  stranger.kernel.publish(Probe, 'there');
  await pause(1_200);
  assert.equal([one.bus.servers(), stranger.bus.servers()], [[], []]);
  assert.equal([one.heard.length, stranger.heard.length], [1, 1]);
});

test('`[bus] transport = "local"` leaves a server alone', async () => {
  const one = await start();
  const two = await start(await sharing(one, { bus: { transport: 'local' } }));
  two.kernel.publish(Probe, 'unheard');
  one.kernel.publish(Probe, 'own');
  await pause(1_200);
  assert.equal([one.bus.servers(), two.bus.servers()], [[], []]);
  assert.equal(
    [one, two].map(({ heard }) => heard.length),
    [1, 1],
  );
});

/**
 * What a pooler in transaction mode is for a client: it makes up the number of the process, and forgets what the database
 * says between two transactions. `mode` session: it passes everything on.
 */
async function pooler(url: string, mode: 'transaction' | 'session') {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    let isIdle = false;
    let rest = Buffer.alloc(0);
    client.on('data', (data) => {
      isIdle = false;
      database.write(data);
    });
    database.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      // A message is a letter, and a length that counts itself.
      while (rest.length >= 5 && rest.length >= 1 + rest.readUInt32BE(1)) {
        const message = Buffer.from(rest.subarray(0, 1 + rest.readUInt32BE(1)));
        rest = rest.subarray(message.length);
        const kind = String.fromCharCode(message[0] ?? 0);
        if (kind === 'K') message.writeUInt32BE(4_000_001, 5);
        if (kind === 'A' && isIdle && mode === 'transaction') continue;
        if (kind === 'Z') isIdle = true;
        client.write(message);
      }
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = new URL(url);
  address.port = String((server.address() as AddressInfo).port);
  address.hostname = '127.0.0.1';
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: address.href, close };
}

test('behind a pooler in transaction mode the log says that the bus hears nobody, and which key mends it', async () => {
  const one = await start();
  const { database } = (await sharing(one)) as { database: { database_url: string } };
  const DEAF = /The bus hears no other server: .*bus-postgres\.database_url/;
  for (const [mode, isDeaf] of [
    ['session', false],
    ['transaction', true],
  ] as const) {
    const between = await pooler(database.database_url, mode);
    try {
      const through = { 'bus-postgres': { database_url: between.url } };
      const two = await start(await sharing(one, through));
      if (isDeaf) await until('the warning', () => logged(two, DEAF) === 1);
      else await acquainted([one, two]);
      assert.is(logged(two, DEAF), isDeaf ? 1 : 0);
      await two.stop();
      running.splice(running.indexOf(two), 1);
    } finally {
      between.close();
    }
  }
});

test('the bus has an address of its own where one is given, and no log shows its password', async () => {
  const one = await start();
  const { database } = (await sharing(one)) as { database: { database_url: string } };
  const good = new URL(database.database_url);
  good.searchParams.set('application_name', 'elsewhere');
  const two = await start(await sharing(one, { 'bus-postgres': { database_url: good.href } }));
  await acquainted([one, two]);
  const bad = new URL(database.database_url);
  bad.password = 'wrong-5e7a91';
  // Also where passwords are not asked for.
  bad.pathname = '/no-such-database';
  const third = await start(await sharing(one, { 'bus-postgres': { database_url: bad.href } }));
  await until('the warning', () => logged(third, /bus is not connected/) > 0);
  // One that a person chose may be part of any word.
  const secret = good.password.length < 16 ? `:${good.password}@` : good.password;
  for (const server of [one, two, third]) {
    const text = server.app.console.join('\n');
    assert.not.match(text, /wrong-5e7a91/);
    assert.not(text.includes(secret));
  }
});

test('Postgres restarts under load: every server is back, in order, and has read again', async () => {
  const own = await startPostgres({ own: true });
  const servers: BusProbe[] = [];
  try {
    const database = { database: { database_url: await own.createDatabase() } };
    servers.push(await probe(database), await probe(database));
    await acquainted(servers);
    const [one, two] = servers as [BusProbe, BusProbe];
    const before = [one, two].map((server) => server.rereads());
    let n = 0;
    let loading = true;
    const load = (async () => {
      for (; loading; await pause(2)) one.kernel.publish(Probe, n++);
    })();
    await pause(200);
    await own.restart('crash');
    await until('connected', () =>
      [one, two].every((server) => logged(server, /bus is connected again/) > 0),
    );
    await until('read again', () =>
      [one, two].every((server, at) => server.rereads() > before[at]!),
    );
    loading = false;
    await load;
    one.kernel.publish(Probe, -1);
    await until('the last', () => two.heard.at(-1)?.payload === -1);
    const got = two.heard.map(({ payload }) => payload).slice(0, -1);
    assert.equal(
      got,
      [...new Set(got)].sort((a, b) => a - b),
    );
    await acquainted(servers);
  } finally {
    for (const server of servers.reverse()) await server.stop();
    await own.stop();
  }
});

test.run();
