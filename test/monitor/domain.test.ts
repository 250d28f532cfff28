// Monitors of the kind domain: what registries answer, and what that says.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@svc/plugin-sdk';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { Registries } from '../../plugins/monitor/src/engine/registries.ts';
import { suite } from '../runner/suite.ts';
import { boot, call, failure, passes } from './kit.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
}

/** A list of registries and a registry, on loopback. */
async function registry() {
  const asked: string[] = [];
  const state: { list: Answer; domain: Answer } = { list: {}, domain: {} };
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { status = 200, body } = request.url === '/dns.json' ? state.list : state.domain;
    response.writeHead(status, { 'content-type': 'application/rdap+json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const services = [[['net', 'co.example'], [`${url}/rdap`]]];
  state.list = { body: { version: '1.0', services } };
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { asked, state, url, stop };
}

const domain = (end: number | undefined) => ({
  objectClassName: 'domain',
  ldhName: 'shop.net',
  status: ['client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: '2001-01-01T00:00:00Z' },
    ...(end === undefined
      ? []
      : [{ eventAction: 'expiration', eventDate: new Date(end).toISOString() }]),
  ],
  entities: [
    {
      roles: ['registrar'],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', 'Names Inc.'],
        ],
      ],
    },
  ],
});

const shop = { name: 'shop', kind: 'domain', spec: { name: 'Shop.NET.' } };

const weekly = suite('monitors: the list of registries');
weekly('it is read again after a week', async () => {
  let [now, reads] = [0, 0];
  const clock = { now: () => now } as Clock;
  const registries = new Registries(clock, async () => {
    reads++;
    return { services: [[['net'], ['https://rdap.example']]] };
  });
  for (const [at, count] of [
    [0, 1],
    [6 * DAY, 1],
    [8 * DAY, 2],
  ] as const) {
    now = at;
    assert.is(await registries.baseOf('shop.net'), 'https://rdap.example/');
    assert.is(reads, count);
  }
});
weekly.run();

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: domains (${dialect})`);
  let [app, rdap]: [TestApp, Awaited<ReturnType<typeof registry>>] = [] as never;

  test.before.each(async () => {
    rdap = await registry();
    app = await boot(dialect, { monitor: { rdap_list: `${rdap.url}/dns.json` } });
    rdap.state.domain = { body: domain(app.clock.now() + 40 * DAY + HOUR) };
  });
  test.after.each(async () => {
    await app?.stop();
    await rdap?.stop();
  });

  const state = async () => {
    const { states } = await call(app, 'monitor_get', { name: 'shop' });
    return states[0] as { state: string; detail: string } | undefined;
  };
  const comesTo = (wanted: string, within_ms = 60_000) =>
    passes(app, within_ms, async () => (await state())?.state === wanted);

  test('a try says when the domain ends, and with whom it is registered', async () => {
    const tried = await call(app, 'monitor_try', { monitor: shop });
    assert.is(tried.ok, true);
    const { ms, ...values } = tried.values;
    assert.type(ms, 'number');
    assert.equal(values, {
      days_left: 40.04,
      registrar: 'Names Inc.',
      status: ['client transfer prohibited'],
    });
    assert.equal(rdap.asked, ['/dns.json', '/rdap/domain/shop.net']);
  });

  test('it is asked every twelve hours, and is down two weeks before the end, with the date', async () => {
    const made = await call(app, 'monitor_create', { monitor: shop });
    assert.is(made.interval_s, 43_200);
    assert.ok(await comesTo('up'));
    // The planned moment of a monitor lies anywhere within its interval; after it there is none for hours.
    const first = rdap.asked.length;
    // Steps much shorter than the hour in which a call is refused: the check counts as of that moment.
    for (let steps = 0; rdap.asked.length === first; steps++) {
      assert.ok(steps <= 36, 'asked every twelve hours');
      await app.clock.sleep(HOUR / 3);
      await passes(app, 5_000);
    }
    assert.is(rdap.asked.length, first + 1);
    const end = app.clock.now() + 12 * DAY + 2 * HOUR;
    rdap.state.domain = { body: domain(end) };
    const asked = rdap.asked.length;
    const early = await failure(call(app, 'monitor_check_now', { name: 'shop' }));
    assert.is(early.code, 108);
    assert.match(early.message, /it was checked \d+ s ago; the next at \d{4}-/);
    await passes(app, 5_000);
    assert.is(rdap.asked.length, asked);
    await app.clock.sleep(HOUR);
    await call(app, 'monitor_check_now', { name: 'shop' });
    assert.is((await failure(call(app, 'monitor_check_now', { name: 'shop' }))).code, 108);
    assert.ok(await comesTo('down', 120_000));
    const date = new Date(end).toISOString().slice(0, 10);
    assert.is((await state())?.detail, `ends in 12 days, on ${date}`);
  });

  test('a name that the registry does not know is down', async () => {
    await call(app, 'monitor_create', { monitor: { ...shop, retries: 0 } });
    rdap.state.domain = { status: 404, body: { errorCode: 404 } };
    assert.ok(await comesTo('down'));
    assert.is((await state())?.detail, 'the registry knows no such domain');
  });

  // [what the registry answers, what is said]
  const NOTHING: [Answer, string][] = [
    [{ status: 429, body: {} }, 'the registry answered with status 429'],
    [{ status: 500, body: 'oh' }, 'the registry answered with status 500'],
    [{ body: '<html>' }, 'the answer of the registry cannot be read'],
    [{ body: domain(undefined) }, 'the registry does not tell when the domain ends'],
    [
      { body: { events: [null, 7, { eventAction: 'expiration', eventDate: 'soon' }] } },
      'the registry does not tell when the domain ends',
    ],
  ];
  for (const [answer, said] of NOTHING) {
    test(`nothing turns down by an answer that says nothing: ${said}, ${JSON.stringify(answer).slice(0, 40)}`, async () => {
      await call(app, 'monitor_create', { monitor: { ...shop, retries: 0 } });
      rdap.state.domain = answer;
      assert.ok(await passes(app, 60_000, async () => (await state())?.detail === said));
      assert.is((await state())?.state, 'unknown');
    });
  }

  // [fields, what the refusal says]
  const REFUSED: [Record<string, unknown>, RegExp][] = [
    [{ spec: { name: 'shop' } }, /'name' is a registered name, as example\.net/],
    [{ spec: { name: 'https://shop.net' } }, /'name' is a registered name/],
    [{ spec: { name: 'shop.example' } }, /the registry of \.example tells no ends of domains/],
    [{ interval_s: 60 }, /interval_s must be at least 3600 for domains/],
    [{ places: { server: true, tags: ['edge'] } }, /domains are looked up by the server only/],
  ];
  for (const [fields, said] of REFUSED) {
    test(`${JSON.stringify(fields)} is refused at once, and nothing is made`, async () => {
      const { code, message } = await failure(
        call(app, 'monitor_create', { monitor: { ...shop, ...fields } }),
      );
      assert.is(code, 108);
      assert.match(message, said);
      assert.equal((await call(app, 'monitor_list')).monitors, []);
    });
  }

  test('the longest ending that the list has counts, and names of other alphabets are asked in ASCII', async () => {
    const names = [
      ['a.co.example', 'a.co.example'],
      ['bücher.net', 'xn--bcher-kva.net'],
    ];
    for (const [name, asked] of names) {
      await call(app, 'monitor_try', { monitor: { ...shop, spec: { name } } });
      assert.is(rdap.asked.at(-1), `/rdap/domain/${asked}`);
    }
  });

  test('a list that cannot be read refuses new domains with the reason, and is read again later', async () => {
    const { list } = rdap.state;
    for (const bad of [{ status: 503, body: '' }, { body: '[]' }, { body: 'x' }]) {
      rdap.state.list = bad;
      const { code, message } = await failure(call(app, 'monitor_create', { monitor: shop }));
      assert.is(code, 108);
      assert.match(message, /'name': the list of registries cannot be read: /);
      await app.clock.advance(61_000);
    }
    rdap.state.list = list;
    await call(app, 'monitor_create', { monitor: shop });
    await call(app, 'monitor_try', { monitor: shop });
    assert.is(rdap.asked.filter((path) => path === '/dns.json').length, 4);
  });

  test.run();
}
