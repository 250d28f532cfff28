import { makePlace, type Place } from '../../test/process/place.ts';
import { rpc, type ServerProcess, superToken } from '../../test/process/server.ts';
import { ensurePostgres } from '../postgres.ts';
import { end, startProbed } from '../server.ts';
import { type Health, SoakAgent } from '../soak-agent.ts';
import type { Dialect, Figure, Scenario } from '../types.ts';

const MINUTES = Number(process.env['SVC_BENCH_MINUTES'] ?? 10);
/** Longer than `silence_s` of agent-events. */
const HELD_UP_MS = 45_000;
const HOUR_MS = 3_600_000;
const LOOK_MS = 5_000;
const MISHAP_MS = 60_000;
const MANY = 100;
/** `agent_query_traffic` counts reports up to five minutes after their arrival. */
const COUNTED_MS = 330_000;

const gone: Health = { name: 'gone', agents: 10 };
const ahead: Health = { name: 'an hour ahead', agents: 40, ahead_ms: HOUR_MS };
const healths: readonly Health[] = [
  gone,
  ahead,
  { name: 'sound', agents: 90 },
  { name: 'slow', agents: 20, every_ms: 10_000 },
  { name: 'a day behind', agents: 20, ahead_ms: -24 * HOUR_MS },
  { name: 'reboots', agents: 40, mishap: (agent) => agent.reboot() },
  { name: 'containers', agents: 50, mishap: (agent) => agent.toggleContainer() },
  { name: 'cut off', agents: 30, mishap: (agent) => agent.cutOff() },
];

export const soak: Scenario = {
  name: 'soak',
  about:
    '300 agents of mixed health for ten minutes on each database (SVC_BENCH_MINUTES, at least 6); the server is held up for 45 s and killed once',
  async run() {
    const figures: Figure[] = [];
    for (const dialect of ['sqlite', 'postgres'] as const) figures.push(...(await run(dialect)));
    return figures;
  },
};

async function run(dialect: Dialect): Promise<Figure[]> {
  if (dialect === 'postgres') await ensurePostgres();
  const place = await makePlace(dialect);
  const watched = new Soak(place, await startProbed(place));
  try {
    await watched.live(MINUTES * 60_000);
    return (await watched.figures()).map((figure) => ({
      ...figure,
      scenario: 'soak',
      figure: `${dialect}: ${figure.figure}`,
    }));
  } finally {
    await watched.end();
    await place.remove();
  }
}

class Soak {
  readonly #place: Place;
  readonly #token: string;
  readonly #agents: readonly SoakAgent[];
  #server: ServerProcess;
  #looks = 0;
  #frozen = 0;

  constructor(place: Place, server: ServerProcess) {
    this.#place = place;
    this.#server = server;
    this.#token = superToken(server.output());
    const url = `${place.site.url.replace('http', 'ws')}/`;
    this.#agents = healths.flatMap((health) =>
      Array.from({ length: health.agents }, () => new SoakAgent(url, this.#token, health)),
    );
  }

  /** Lets the fleet report, and what happens to all of it happen at a share of the time. */
  async live(ms: number): Promise<void> {
    const steps: [share: number, step: () => unknown][] = [
      [0.25, () => this.#each(gone, (agent) => agent.close())],
      [0.35, () => this.#each(ahead, (agent) => agent.setRight())],
      [0.5, () => this.#holdUp()],
      [0.7, () => this.#killAndStart()],
      [1, () => this.#agents.map((agent) => agent.stop())],
    ];
    const begun = Date.now();
    let mishaps = begun + MISHAP_MS / 2;
    for (const [share, step] of steps) {
      while (Date.now() < begun + share * ms) {
        await pause(LOOK_MS);
        await this.#look();
        if (Date.now() < mishaps) continue;
        mishaps += MISHAP_MS;
        for (const agent of this.#agents) agent.health.mishap?.(agent);
      }
      await step();
    }
    await pause(2 * LOOK_MS);
    await this.#look();
  }

  async figures(): Promise<Omit<Figure, 'scenario'>[]> {
    const { told, wrong } = await this.#went();
    await pause(COUNTED_MS);
    const { invented, missing } = await this.#traffic();
    const refused = this.#agents.flatMap((agent) => agent.refused);
    const unanswered = this.#agents.reduce((sum, agent) => sum + agent.unanswered, 0);
    return [
      { figure: 'agents told gone that were not', value: wrong, unit: '', goal: { most: 0 } },
      {
        figure: `agents told gone, of ${gone.agents}`,
        value: told,
        unit: '',
        goal: { least: gone.agents },
      },
      {
        figure: 'newest values older than an answered report',
        value: this.#frozen,
        unit: '',
        goal: { most: 0 },
        note: `${this.#looks} looks at all agents`,
      },
      { figure: 'bytes that nobody received', value: invented, unit: 'B', goal: { most: 0 } },
      { figure: 'bytes not counted', value: missing * 100, unit: '%', goal: { most: 1 } },
      { figure: 'reports without an answer', value: unanswered, unit: '', goal: { most: 0 } },
      {
        figure: 'reports refused',
        value: refused.length,
        unit: '',
        goal: { most: 0 },
        note: refused[0] ?? '',
      },
    ];
  }

  async end(): Promise<void> {
    for (const agent of this.#agents) agent.close();
    await end(this.#server);
  }

  #each(health: Health, step: (agent: SoakAgent) => void): void {
    for (const agent of this.#agents) if (agent.health === health) step(agent);
  }

  async #holdUp(): Promise<void> {
    this.#server.child.kill('SIGSTOP');
    await pause(HELD_UP_MS);
    this.#server.child.kill('SIGCONT');
  }

  async #killAndStart(): Promise<void> {
    await this.#server.end('SIGKILL');
    this.#server = await startProbed(this.#place);
  }

  /** Compares the newest value of each agent with what was answered before it was asked for. */
  async #look(): Promise<void> {
    this.#looks += 1;
    const known = this.#agents.filter(({ answered }) => answered > 0);
    for (let at = 0; at < known.length; at += MANY) {
      const asked = known.slice(at, at + MANY);
      const before = new Map(asked.map(({ uuid, answered }) => [uuid, answered]));
      const rows = await this.#call('agent_dynamic_summary_multi_last_query', {
        uuids: [...before.keys()],
        fields: ['used_memory'],
      });
      for (const [uuid, answered] of before) {
        const row = rows.find((found: { uuid: string }) => found.uuid === uuid);
        if ((row?.used_memory ?? 0) < answered) this.#frozen += 1;
      }
    }
  }

  async #went(): Promise<{ told: number; wrong: number }> {
    const events = await this.#call('agent_events', { kinds: ['went'], limit: 1_000 });
    const went = events.map(({ uuid }: { uuid: string }) => uuid);
    const really = new Set<string>();
    this.#each(gone, ({ uuid }) => really.add(uuid));
    const told = new Set(went.filter((uuid: string) => really.has(uuid))).size;
    return { told, wrong: went.length - told };
  }

  async #traffic(): Promise<{ invented: number; missing: number }> {
    let [invented, missing, all] = [0, 0, 0];
    for (let at = 0; at < this.#agents.length; at += MANY) {
      const asked = this.#agents.slice(at, at + MANY);
      const now = Date.now();
      const rows = await this.#call('agent_query_traffic', {
        uuids: asked.map(({ uuid }) => uuid),
        ...{ from: now - 48 * HOUR_MS, to: now + 24 * HOUR_MS, by: 'day' },
      });
      for (const { uuid, received } of asked) {
        const days = rows.filter((row: { uuid: string }) => row.uuid === uuid);
        const told = days.reduce((sum: number, day: { received: number }) => sum + day.received, 0);
        invented += Math.max(0, told - received);
        missing += Math.max(0, received - told);
        all += received;
      }
    }
    return { invented, missing: missing / all };
  }

  async #call(method: string, params: object): Promise<any> {
    const answer = await rpc(this.#place.site.url, method, { token: this.#token, ...params });
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
