import { type Probe, startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';
import { hasWrk, wrk } from '../wrk.ts';

const NAME = 'status-page';
const AGENTS = 30;
/** Of one reading and the next: each measurement sees one or two. */
const REFRESH_S = 5;
const CONNECTIONS = 32;

interface Side {
  readonly url: string;
  probe(command: 'read' | 'reset'): Promise<Probe>;
}

interface Measured {
  readonly rate: number;
  readonly cpu_us: number;
}

/** Readers of one status page: what a thousand of them a second cost is the goal. */
export const statusPage: Scenario = {
  name: NAME,
  about: `a status page of ${AGENTS} agents over ${CONNECTIONS} connections (wrk)`,
  async run() {
    if (!(await hasWrk())) {
      process.stderr.write(`${NAME}: skipped, wrk is not installed\n`);
      return [];
    }
    const bench = await startBench('sqlite', `[status-page]\nrefresh_s = ${REFRESH_S}`);
    const server = bench.socketUrl.replace('ws', 'http');
    await makePage(server, bench.token);
    const side = { url: `${server}svc/status/bench`, probe: bench.probe };
    const answer = await fetch(side.url);
    const bytes = (await answer.arrayBuffer()).byteLength;
    const whole = await measure(side, ['accept-encoding: identity']);
    const packed = await measure(side, ['accept-encoding: gzip']);
    const badge = await measure({ ...side, url: `${side.url}/badge.svg` });
    await bench.end();
    await bench.place.remove();
    return [
      line('page', whole, `${(bytes / 1000).toFixed(1)} kB`),
      line('page, gzip', packed, ''),
      line('badge', badge, ''),
      {
        scenario: NAME,
        figure: 'core for 1,000 readers/s',
        // Microseconds of a thousand requests, of a second.
        value: whole.cpu_us / 10,
        unit: '%',
        goal: { most: 50 },
        note: `gzip: ${(packed.cpu_us / 10).toFixed(1)} %; read anew every ${REFRESH_S} s`,
      },
    ];
  },
};

const line = (figure: string, { rate, cpu_us }: Measured, note: string): Figure => ({
  scenario: NAME,
  figure,
  value: rate,
  unit: '/s',
  note: [`${cpu_us.toFixed(1)} µs of server CPU a request`, note].filter(Boolean).join(', '),
});

async function makePage(server: string, token: string): Promise<void> {
  const call = async (method: string, params: object) => {
    const response = await fetch(server, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { token, ...params } }),
    });
    const { error } = (await response.json()) as { error?: { message: string } };
    if (error) throw new Error(error.message);
  };
  const entries = Array.from({ length: AGENTS }, (_, n) => ({
    name: `machine-${n}`,
    agent: `0b6f1c52-7a35-4d0e-9c1b-${String(n).padStart(12, '0')}`,
  }));
  for (const { agent: uuid } of entries) {
    await call('agent_report_dynamic_summary', { data: { uuid, time: Date.now(), cpu_usage: 1 } });
  }
  await call('status-page_create', { slug: 'bench', page: { title: 'Bench', entries } });
}

async function measure(side: Side, headers: readonly string[] = []): Promise<Measured> {
  const before = await side.probe('reset');
  const { rate, requests } = await wrk(side.url, CONNECTIONS, headers);
  const { cpu_ms } = await side.probe('read');
  return { rate, cpu_us: ((cpu_ms - before.cpu_ms) * 1000) / requests };
}
