// proof only: 90
/**
 * Messages are never lost (plugins/notify/README.md): a server that is killed at any moment sends each message that was
 * accepted at least once, and one that it sends twice has the same id.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { makePlace, type Place } from '../process/place.ts';
import { rpc, type ServerProcess, startServer, superToken } from '../process/server.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { type Receiver, receiver, until } from './kit.ts';

const rounds = loop(4, 40);
/** The receiver answers so late that kills meet requests whose answer is not marked. */
const ANSWER_MS = 15;
const CHANNELS = 4;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`outbox under kills (${dialect})`);
  let place: Place;
  let server: ServerProcess;
  let hook: Receiver;
  let token: string;

  const call = async (method: string, params: object): Promise<any> => {
    const answer = await rpc(place.site.url, method, { token, ...params });
    if (answer.error) throw new Error(JSON.stringify(answer.error));
    return answer.result;
  };

  test.before(async () => {
    hook = await receiver();
    hook.delay_ms = ANSWER_MS;
    const head = 'plugins = ["token", "egress", "notify", "server-info"]';
    place = await makePlace(dialect, { head, tables: '[notify]\nmax_per_minute = 10_000' });
    server = await startServer(place.site);
    token = superToken(server.output());
    for (let n = 0; n < CHANNELS; n++) {
      const channel = { name: `c${n}`, kind: 'webhook', config: { url: `${hook.url}/${n}` } };
      await call('channel_create', { channel });
    }
  });
  test.after(async () => {
    await server.end('SIGKILL');
    await place.remove();
    await hook.stop();
  });

  test(`${rounds} kills at any moment lose no message, and repeat it under its own id`, async () => {
    const accepted: string[] = [];
    let count = 0;
    for (let round = 0; round < rounds; round++) {
      let ends = false;
      const sending = Promise.all(
        Array.from({ length: CHANNELS }, async (_, n) => {
          while (!ends) {
            const message = { name: `c${n}`, title: `${count++}`, text: 'text' };
            const sent = await call('channel_send', message).catch(() => undefined);
            if (sent) accepted.push(sent.message_id);
            await pause(20);
          }
        }),
      );
      const enough = accepted.length + CHANNELS;
      await until('some are accepted', () => accepted.length > enough);
      await pause(Math.floor(Math.random() * 240));
      await server.end('SIGKILL');
      ends = true;
      await sending;
      server = await startServer(place.site, { quiet: true });
    }
    for (let n = 0; n < CHANNELS; n++) await call('channel_retry', { name: `c${n}` });
    const waits = () => call('channel_outbox', { state: 'waiting', limit: 1 });
    await until('all sent', async () => (await waits()).length === 0, 120_000);
    const got = hook.got.map(({ headers }) => String(headers['webhook-id']));
    const times = new Map<string, number>();
    for (const id of got) times.set(id, (times.get(id) ?? 0) + 1);
    const lost = accepted.filter((id) => !times.has(id));
    assert.equal(lost, [], `lost of ${accepted.length}`);
    assert.ok(accepted.length > rounds * CHANNELS, `only ${accepted.length} were accepted`);
    // One message of each channel is under way at a kill.
    const doubles = got.length - times.size;
    assert.ok(doubles <= rounds * CHANNELS, `${doubles} doubles after ${rounds} kills`);
    const titles = new Map<string, Set<string>>();
    for (const { headers, json } of hook.got) {
      const id = String(headers['webhook-id']);
      titles.set(id, (titles.get(id) ?? new Set()).add(json.title));
    }
    assert.ok(
      [...titles.values()].every(({ size }) => size === 1),
      'one id, one message',
    );
  });

  test.run();
}
