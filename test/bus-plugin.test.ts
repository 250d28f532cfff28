/** The plugin `bus`: its section, which plugins bring it, and a server without it. */

import * as assert from 'uvu/assert';
import { BusTransports } from '../plugins/bus/src/api.ts';
import bus from '../plugins/bus/src/index.ts';
import { validateSection } from '../server/src/config/section.ts';
import { type BusProbe, Probe, probe, until } from './bus-kit.ts';
import { suite } from './runner/suite.ts';
import { refusal } from './server/config-kit.ts';

const test = suite('plugin bus');
const running: BusProbe[] = [];

test.after.each(async () => {
  for (const server of running.splice(0)) await server.stop();
});

const start = async (...args: Parameters<typeof probe>): Promise<BusProbe> => {
  const server = await probe(...args);
  running.push(server);
  return server;
};
const section = (raw: unknown) => validateSection('bus', bus.config!, raw, undefined);

test('the section has its default, and keys that it does not know are left alone', () => {
  assert.equal(section(undefined), { transport: 'auto' });
  assert.equal(section({ transport: 'local' }), { transport: 'local' });
  assert.equal(section({ url: 'nats://h' }), { url: 'nats://h', transport: 'auto' });
});

test('a section of the wrong form is refused with its key', () => {
  assert.is(
    refusal(() => section('nats')),
    'bus: must be a table',
  );
  assert.is(
    refusal(() => section({ transport: 'nats' })),
    '[bus] transport: must be one of auto, local',
  );
});

/** [plugins of the list, database, whether the bus is there] */
const lists: [plugins: string[], dialect: 'sqlite' | 'postgres', loaded: boolean][] = [
  [[], 'postgres', true],
  [['bus-postgres'], 'postgres', true],
  [['bus-nats'], 'postgres', true],
  [['bus-nats'], 'sqlite', true],
  [['bus-nats', 'bus'], 'sqlite', true],
  [[], 'sqlite', false],
];

for (const [plugins, dialect, loaded] of lists) {
  test(`a list of ${JSON.stringify(plugins)} on ${dialect} ${loaded ? 'brings' : 'leaves out'} the bus`, async () => {
    const server = await start({}, dialect, plugins);
    assert.is(server.kernel.useOptional(BusTransports) !== undefined, loaded);
  });
}

test('a server without it delivers to itself and knows the section', async () => {
  const server = await start({ bus: { transport: 'auto' } }, 'sqlite');
  server.kernel.publish(Probe, 'own');
  assert.is(server.bus.send(server.bus.id, Probe, 'direct'), true);
  assert.is(server.bus.send('another', Probe, 'lost'), false);
  await until('both', () => server.heard.length === 2);
  assert.equal(
    server.heard.map(({ payload, own }) => [payload, own]),
    [
      ['own', true],
      ['direct', true],
    ],
  );
  assert.equal(server.bus.servers(), []);
  assert.equal(
    server.app.console.filter((line) => /unknown configuration key/.test(line)),
    [],
  );
});

test.run();
