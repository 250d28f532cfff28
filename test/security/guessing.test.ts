// Guessing of credentials: what slows it down, what it cannot do to others, and what it cannot learn.
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { authProbe } from '../protocol/auth-probe.ts';
import {
  eventually,
  keyOf,
  listen,
  type TokenServer,
  tokenServer,
  WRONG,
} from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';

const FREE = 5;
const HOME = '192.0.2.1';
/** Past the end of the longest delay. */
const LONGEST_MS = 10_000;

type Probe = Pick<ReturnType<typeof authProbe>, 'kernel'>;

/** Logs in from an address of its own choice: the key of the token, or the error. */
const loginOn =
  (probe: Probe) =>
  (credential: string, address = HOME): Promise<string> =>
    probe
      .kernel()
      .auth.authenticate(credential, { address, transport: 'ws' })
      .then(
        ({ id }) => id,
        (error) => `${error.code} ${error.message}`,
      );

const isWrong = (answer: string) => assert.is(answer.split('\n')[0], WRONG);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`guessing (${dialect})`);
  let server: TokenServer;
  test.before(async () => {
    server = await tokenServer({}, { dialect, clock: true });
  });
  test.after(() => server.app.stop());

  const login = (credential: string, address?: string) =>
    loginOn(server.probe)(credential, address);
  let guesses = 0;
  const guess = async (name: string, times: number, address?: string, separator = '|') => {
    for (let time = 0; time < times; time++) {
      isWrong(await login(`${name}${separator}guess ${++guesses}`, address));
    }
  };
  /** Guesses until the next window is the longest one. */
  const guessLong = async (name: string, address?: string, separator?: string) => {
    await guess(name, FREE, address, separator);
    for (let window = 250; window < 32_000; window *= 2) {
      await guess(name, 1, address, separator);
      await server.app.clock.advance(Math.min(window, LONGEST_MS));
    }
    await guess(name, 1, address, separator);
  };

  test('guesses at twenty thousand other names, from as many addresses, make nothing forgotten', async () => {
    const token = await server.app.token(listen);
    await guessLong(keyOf(token), HOME, ':');
    for (let at = 0; at < 20_000; at++) {
      const address = at % 2 ? HOME : `198.51.${at >> 8}.${at & 255}`;
      isWrong(await login(`other${at}:guess`, address));
    }
    isWrong(await login(token));
    await server.app.clock.advance(LONGEST_MS);
    assert.is(await login(token), keyOf(token));
    await server.app.clock.advance(600_001);
  });

  for (const mode of ['token', 'account'] as const) {
    test(`a ${mode} logs in from where it did before, while a guesser goes on there, after a restart too`, async () => {
      const { name, token } = await server.account();
      const credential = mode === 'token' ? token : `${name}|a password`;
      const guessed = mode === 'token' ? keyOf(token) : name;
      const separator = mode === 'token' ? ':' : '|';
      const seen = () => server.probe.sql('select seen_at from token_place');
      const before = (await seen()).length;
      assert.is(await login(credential), keyOf(token));
      await guessLong(guessed, HOME, separator);
      assert.is(await login(credential), keyOf(token));
      await server.app.clock.advance(1_000);
      await eventually(async () => assert.ok((await seen()).length > before));
      await server.app.restart();
      await guessLong(guessed, HOME, separator);
      let waiting = 1;
      const guessing = guess(guessed, 10, HOME, separator);
      const owner = login(credential);
      const all = Promise.all([guessing, owner]).finally(() => waiting--);
      // Whatever waits for its turn gets it.
      while (waiting > 0) await server.app.clock.advance(250);
      await all;
      assert.is(await owner, keyOf(token));
    });
  }

  test('where it never did, the right password waits like a wrong one', async () => {
    const { name, token } = await server.account();
    assert.is(await login(`${name}|a password`), keyOf(token));
    await server.asSuper('token_change_password', name, 'new password');
    const elsewhere = '203.0.113.5';
    await guess(name, FREE + 1, elsewhere);
    isWrong(await login(`${name}|new password`, elsewhere));
    await server.app.clock.advance(250);
    assert.is(await login(`${name}|new password`, elsewhere), keyOf(token));
  });

  test('a new password works at once from where the old one did', async () => {
    const { name, token } = await server.account();
    assert.is(await login(`${name}|a password`), keyOf(token));
    await guess(name, FREE + 1);
    await server.asSuper('token_change_password', name, 'new password');
    assert.is(await login(`${name}|new password`), keyOf(token));
  });

  test('guesses at one account from many addresses are delayed together', async () => {
    const { name, token } = await server.account();
    assert.is(await login(`${name}|a password`), keyOf(token));
    for (let at = 0; at < 60; at++) await guess(name, 1, `198.51.100.${at}`);
    await server.asSuper('token_change_password', name, 'new password');
    isWrong(await login(`${name}|new password`, '203.0.113.7'));
    assert.is(await login(`${name}|new password`), keyOf(token));
  });

  test('guesses at many accounts from one address are delayed together, tokens go on', async () => {
    const { name, token } = await server.account();
    const address = '198.18.0.1';
    for (let at = 0; at < 40; at++) await login(`stranger ${at}|password`, address);
    isWrong(await login(`${name}|a password`, address));
    assert.is(await login(token, address), keyOf(token));
    assert.is(await login(`${name}|a password`), keyOf(token));
  });

  test('the addresses of one IPv6 network are one address', async () => {
    const token = await server.app.token(listen);
    for (let at = 1; at <= FREE + 1; at++) await guess(keyOf(token), 1, `2001:db8::${at}`, ':');
    isWrong(await login(token, '2001:db8::ffff'));
    assert.is(await login(token, '2001:db8:0:1::1'), keyOf(token));
  });

  test('an empty password is refused, when a token is created and at a login', async () => {
    const refusal = '108 Invalid input: Password cannot be empty';
    const creation = { token_limit: [], username: 'blank', password: '' };
    assert.is(await server.asSuper('token_create', creation), refusal);
    const { name } = await server.account();
    // A record from before: the hash of "" in auth.md §2.
    const empty = '0e85928530f4aa4008c45e05e7faaea361969bdeb047ab900259212ba3d95855';
    const update = 'update token set password_hash = ? where username = ?';
    await server.probe.sql(update, [empty, name]);
    await server.asSuper('token_edit', name, []);
    isWrong(await login(`${name}|`));
    assert.is(await server.app.call('probe_basic', [name, '']), null);
  });

  test.run();
}

const crowd = suite('guessing: a token that a whole fleet shares');

crowd('few of its addresses are kept, and none in use is pushed out by others', async () => {
  const server = await tokenServer({}, { clock: true });
  try {
    const token = await server.app.token(listen);
    const login = loginOn(server.probe);
    const count = async () => {
      await server.app.clock.advance(1_000);
      const select = 'select count(*) as n from token_place p join token t on t.id = p.token_id';
      const [{ n }] = await server.probe.sql(`${select} where t.token_key = ?`, [keyOf(token)]);
      return Number(n);
    };
    const all = async () => {
      for (let at = 0; at < 3_000; at++) await login(token, `10.0.${at >> 8}.${at & 255}`);
    };
    await all();
    await eventually(async () => assert.is(await count(), 64));
    await all();
    assert.is(await count(), 64);
    await server.app.restart();
    for (let at = 0; at <= FREE; at++) await login(`${keyOf(token)}:guess ${at}`, '10.0.0.0');
    assert.is(await login(token, '10.0.0.0'), keyOf(token));
  } finally {
    await server.app.stop();
  }
});

crowd.run();

const timing = suite('guessing: what the time of an answer tells');

/** Processor time of the middle one of some refusals in µs, each from an address of its own. */
async function refusal_us(probe: Probe, names: readonly string[], network: string) {
  const times: number[] = [];
  for (const [at, name] of names.entries()) {
    const started = process.cpuUsage();
    isWrong(await loginOn(probe)(`${name}|a guess`, `${network}.${at}`));
    const { user, system } = process.cpuUsage(started);
    times.push(user + system);
  }
  return times.sort((a, b) => a - b)[names.length >> 1] as number;
}

timing('unknown accounts, old records and new ones are refused after the same work', async () => {
  const server = await tokenServer({ token: { password_kdf: 'scrypt' } }, {});
  try {
    const slow = await server.account();
    const plain = await server.account();
    const update = 'update token set password_hash = ? where username = ?';
    const hash = 'c48c48d25dae9871f7a1bf8dffa3c671b07dd7f8efb9c4582099525ea53c7895';
    await server.probe.sql(update, [hash, plain.name]);
    await server.asSuper('token_edit', plain.name, []);
    const without = await server.app.token([]);
    const nine = (name: string) => Array.from({ length: 9 }, () => name);
    const strangers = nine('').map((_name, at) => `stranger ${at}`);
    const known = await refusal_us(server.probe, nine(slow.name), '198.51.1');
    const others = [
      await refusal_us(server.probe, strangers, '198.51.2'),
      await refusal_us(server.probe, nine(plain.name), '198.51.3'),
      await refusal_us(server.probe, nine(keyOf(without)), '198.51.4'),
    ];
    // A plain hash takes a hundredth of a slow one.
    for (const other of others)
      assert.ok(other > known / 4 && other < known * 4, `${other} ${known}`);
  } finally {
    await server.app.stop();
  }
});

timing.run();

const several = suite('guessing: several servers (postgres)');

several('a login on one server counts on the others', async () => {
  const first = authProbe();
  const { apps, superToken, stop } = await sharedServers(2, ['token', first.plugin], {});
  const [here, there] = apps as [TestApp, TestApp];
  const kernelOf = (app: TestApp) => ({ kernel: () => (app.kernel as any).kernelOf('probe') });
  try {
    const token = await here.token(listen, { username: 'ada', password: 'a password' });
    const on = (app: TestApp) => loginOn(kernelOf(app));
    assert.is(await on(here)('ada|a password'), keyOf(token));
    const mine = () =>
      there.sql(`select t.id from token_place p join token t on t.id = p.token_id
      where t.username = 'ada'`);
    await eventually(async () => assert.is((await mine()).length, 1));
    await eventually(async () => {
      for (let at = 0; at < 20; at++) await on(there)(`ada|guess ${at}`);
      assert.is(await on(there)('ada|a password'), keyOf(token));
    });
    assert.type(superToken, 'string');
  } finally {
    await stop();
  }
});

several.run();
