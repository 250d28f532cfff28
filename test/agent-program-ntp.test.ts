/** The agent program's clock offset: clients.md §2.4 step 2. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import * as assert from 'uvu/assert';
import { ntpOffset, offsetFrom, parseNtpServer } from '../agent/src/ntp.ts';
import { FakeClock, memoryLog, soon } from './agent-program-kit.ts';
import { freePort } from './ports.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: clock offset');

/** A loopback NTP server that answers as the test says. */
async function withNtp(
  answer: (request: Buffer) => Buffer[],
  use: (address: string) => Promise<void>,
): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('message', (request, { port, address }) => {
    for (const packet of answer(request)) socket.send(packet, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  try {
    await use(`127.0.0.1:${socket.address().port}`);
  } finally {
    socket.close();
  }
}

/** A server's packet whose two times are `unix_ms`. */
function ntpAnswer(request: Buffer, unix_ms: number, head = 0x24, stratum = 2): Buffer {
  const packet = Buffer.alloc(48);
  packet[0] = head;
  packet[1] = stratum;
  request.copy(packet, 24, 40, 48);
  for (const at of [32, 40]) {
    packet.writeUInt32BE((Math.floor(unix_ms / 1000) + 2_208_988_800) % 2 ** 32, at);
    packet.writeUInt32BE(Math.floor(((unix_ms % 1000) / 1000) * 2 ** 32), at + 4);
  }
  return packet;
}

test('measures the clock offset, deaf to packets that answer nothing', async () => {
  const clock = new FakeClock();
  const unix_ms = clock.now() + 5250;
  const strange = (request: Buffer) => [
    Buffer.alloc(3),
    ntpAnswer(Buffer.alloc(48, 1), 0),
    ntpAnswer(request, 0, 0x23),
    ntpAnswer(request, 0, 0xe4),
    ntpAnswer(request, 0, 0x24, 0),
    ntpAnswer(request, 0, 0x24, 16),
    ntpAnswer(request, unix_ms),
  ];
  await withNtp(strange, async (address) => {
    assert.is(await ntpOffset(address, clock, memoryLog().log), 5250);
  });
  assert.equal(clock.labels(), []);
});

test('takes the middle of the way there and the way back', () => {
  const request = Buffer.alloc(48, 9);
  assert.is(
    offsetFrom(
      ntpAnswer(request, 1_781_000_000_100),
      request,
      1_781_000_000_000,
      1_781_000_000_300,
    ),
    -50,
  );
});

test('reads stamps of the era that begins in 2036', () => {
  const request = Buffer.alloc(48, 9);
  const in2040 = Date.UTC(2040, 0, 1);
  assert.is(offsetFrom(ntpAnswer(request, in2040 + 1000), request, in2040, in2040), 1000);
});

test('takes the offset as 0 without an answer in 10 s, and goes on', async () => {
  const clock = new FakeClock();
  await withNtp(
    () => [],
    async (address) => {
      const offset = ntpOffset(address, clock, memoryLog().log);
      assert.is(await clock.timer('ntp'), 10_000);
      await clock.advance(10_000);
      assert.is(await soon('the offset', offset), 0);
    },
  );
});

test('takes the offset as 0 at once when there is no server to ask', async () => {
  const clock = new FakeClock();
  assert.is(await ntpOffset('', clock, memoryLog().log), 0);
  const refused = ntpOffset(`127.0.0.1:${await freePort()}`, clock, memoryLog().log);
  assert.is(await soon('the offset', refused), 0);
  assert.equal(clock.labels(), []);
});

// [ntp_server, host, port]
const NTP_NAMES: [string, string, number][] = [
  ['pool.ntp.org', 'pool.ntp.org', 123],
  ['ntp.example.net:1123', 'ntp.example.net', 1123],
  ['192.0.2.1:123', '192.0.2.1', 123],
  ['2001:db8::1', '2001:db8::1', 123],
  ['[2001:db8::1]', '2001:db8::1', 123],
  ['[2001:db8::1]:1123', '2001:db8::1', 1123],
];

for (const [text, host, port] of NTP_NAMES) {
  test(`asks port ${port} of ${host} for ntp_server "${text}"`, () => {
    assert.equal(parseNtpServer(text), { host, port });
  });
}

test.run();
