// A process that stands still while a check runs measures itself (checks/src/pauses.ts).
import * as assert from 'uvu/assert';
import { run } from '../../checks/src/index.ts';
import { suite } from '../runner/suite.ts';
import { http, optionsFor, startPeer } from './kit.ts';

const test = suite('checks: pauses of the process');

// [what happens to the clocks while the target is asked, ms on both, ms on that of the wall alone, whether the outcome counts]
const PAUSES: [string, number, number, boolean][] = [
  ['nothing', 0, 0, true],
  ['half a minute goes by', 30_000, 0, false],
  ['the clock is set', 0, 3_600_000, false],
];
for (const [what, ahead_ms, wall_ms, counts] of PAUSES) {
  test(`the outcome ${counts ? 'counts' : 'does not count'} when ${what} meanwhile`, async () => {
    let [ahead, wall] = [0, 0];
    const { clock } = optionsFor();
    const jumping = {
      now: () => clock.now() + ahead + wall,
      monotonic: () => clock.monotonic() + ahead,
      timeout: clock.timeout.bind(clock),
    };
    const peer = await startPeer((socket) => {
      socket.once('data', () => {
        [ahead, wall] = [ahead_ms, wall_ms];
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    try {
      const { code, wasPaused } = await run(
        http(`http://127.0.0.1:${peer.port}/`),
        optionsFor({ clock: jumping }),
      );
      assert.equal([code, wasPaused], [200, counts ? undefined : true]);
    } finally {
      await peer.stop();
    }
  });
}

test.run();
