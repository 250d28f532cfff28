import { runLoad } from '../clients.ts';
import { type Probe, probe, startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';
import { startYardstick } from '../yardstick.ts';

const load = { method: 'svc-server_hello', conns: 16, inflight: 4, duration: '5s' };

interface Side {
  readonly url: string;
  probe(command: 'read' | 'reset'): Promise<Probe>;
}

/** Calls per second, and CPU time of the server per call: the client shares the cores, so rates alone flatter. */
async function measure(side: Side): Promise<{ rate: number; cpu_us: number }> {
  const before = await side.probe('reset');
  const { rate, ok = 1 } = await runLoad('rpcload', { ...load, url: side.url });
  const { cpu_ms } = await side.probe('read');
  return { rate, cpu_us: ((cpu_ms - before.cpu_ms) * 1000) / ok };
}

/** The cheapest call against a `ws` server that only echoes; measured twice, in turn, and the better one counts. */
export const hello: Scenario = {
  name: 'hello',
  about: 'svc-server_hello over 16 WebSockets, against a raw ws echo',
  async run() {
    const bench = await startBench('sqlite');
    const echo = await startEcho();
    const best = { hello: { rate: 0, cpu_us: 0 }, echo: { rate: 0, cpu_us: 0 } };
    for (let turn = 0; turn < 2; turn++) {
      const calls = await measure({ url: bench.socketUrl, probe: bench.probe });
      const echoes = await measure(echo);
      if (calls.rate > best.hello.rate) best.hello = calls;
      if (echoes.rate > best.echo.rate) best.echo = echoes;
    }
    echo.stop();
    await bench.end();
    await bench.place.remove();
    const scenario = 'hello';
    const line = (figure: string, { rate, cpu_us }: typeof best.echo, note: string): Figure => {
      const cost = `${cpu_us.toFixed(1)} µs of server CPU a call${note}`;
      return { scenario, figure, value: rate, unit: '/s', note: cost };
    };
    return [
      line('raw echo', best.echo, ' (yardstick: ws)'),
      line('hello', best.hello, ''),
      {
        scenario,
        figure: 'hello of raw echo',
        value: (100 * best.hello.rate) / best.echo.rate,
        unit: '%',
        goal: { least: 60 },
        note: `by CPU time: ${((100 * best.echo.cpu_us) / best.hello.cpu_us).toFixed(0)} %`,
      },
    ];
  },
};

async function startEcho() {
  const { child, host, stop } = await startYardstick('echo');
  const url = `ws://${host}/`;
  return { url, stop, probe: (command: 'read' | 'reset') => probe(child, command) };
}
