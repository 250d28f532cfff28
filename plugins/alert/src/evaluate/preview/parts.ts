import type { BucketRow, ReportBuckets } from '@svc/plugin-agent/api';
import type { Kernel } from '@svc/plugin-sdk';
import { type Disk, isKeptDisk, MOST_PARTS, type PartKind, partOf } from '../parts.ts';
import { planOf, valuesOf } from '../plan.ts';
import { inSlices, Player } from '../play.ts';
import { usualOf } from './steps.ts';
import type { Ask, Played } from './types.ts';

/** Buckets of one read: an answer of 64 parts stays far below the bound of 8 MB. */
const CHUNK_BUCKETS = 360;
/** Count, least, greatest and average value of each field. */
const AGGREGATES = 4;
const AVERAGE = 3;

const SPACE = ['total_space', 'available_space'];
const MEMORY = ['used_memory', 'total_memory'];
/** Fields of a part in full reports that its variables are made of. */
const FIELDS: { readonly [variable: string]: readonly string[] } = {
  'disk.used_percent': ['used_space'],
  'disk.read_speed': ['read_speed'],
  'disk.write_speed': ['write_speed'],
  'gpu.usage': ['utilization_gpu'],
  'gpu.temperature': ['temperature'],
  'gpu.memory_used_percent': MEMORY,
  'gpu.used_memory': MEMORY,
  'gpu.total_memory': MEMORY,
  'gpu.clock': ['graphics_clock_mhz'],
  'interface.receive_speed': ['receive_speed'],
  'interface.transmit_speed': ['transmit_speed'],
  'interface.total_received': ['total_received'],
  'interface.total_transmitted': ['total_transmitted'],
};
/** Fields that are always read: a disk without size is none, and a condition about names alone is judged at each report. */
const ALWAYS: { readonly [kind in PartKind]: readonly string[] } = {
  disk: SPACE,
  gpu: ['utilization_gpu'],
  interface: ['receive_speed'],
};
const NAME: { readonly [kind in PartKind]: string } = {
  disk: 'mount_point',
  gpu: 'id',
  interface: 'interface_name',
};

/** Disks of the newest full report, by mount point. */
export type KnownDisks = ReadonlyMap<string, { readonly disk: Disk; readonly isKept: boolean }>;

/** Plays a rule over the stored parts of an agent. @throws RpcError 103, -32008 */
export async function playParts(
  buckets: Pick<ReportBuckets, 'parts'>,
  kind: PartKind,
  ask: Ask & { readonly disks: KnownDisks },
): Promise<Played> {
  const { agent, from, to, step_ms: step, most, signal, share } = ask;
  const play = new PartsPlay(kind, ask);
  for (let at = from; at < to; at += CHUNK_BUCKETS * step) {
    if (play.evaluated >= most || signal.aborted) return { ...play.played, isCut: true };
    const end = Math.min(to, at + CHUNK_BUCKETS * step);
    const range = { id: agent.id, from: at, to: end, step, origin: from, signal, share };
    const rows: BucketRow[] = [];
    for await (const some of buckets.parts(range, kind, play.fields)) rows.push(...some);
    await play.next(rows);
  }
  return play.played;
}

/** Players of the parts of one agent. */
class PartsPlay {
  readonly fields: readonly string[];
  evaluated = 0;
  readonly #kind: PartKind;
  readonly #ask: Ask & { readonly disks: KnownDisks };
  readonly #common: ReturnType<typeof valuesOf>;
  readonly #players = new Map<string, Player>();
  #isCut = false;

  constructor(kind: PartKind, ask: Ask & { readonly disks: KnownDisks }) {
    const { condition, clear } = ask.loaded;
    const names = [...condition.variables, ...(clear?.variables ?? [])];
    this.fields = [...new Set([...ALWAYS[kind], ...names.flatMap((name) => FIELDS[name] ?? [])])];
    this.#kind = kind;
    this.#ask = ask;
    this.#common = valuesOf(planOf([ask.loaded]), [], () => ask.factsAt(ask.from));
  }

  get played(): Played {
    const places = [...this.#players].map(([part, { episodes }]) => ({ part, episodes }));
    return { places, evaluated: this.evaluated, isCut: this.#isCut };
  }

  async next(rows: readonly BucketRow[]): Promise<void> {
    for (const [part, some] of Map.groupBy(rows, ({ name }) => name)) {
      if (this.#ask.disks.get(part)?.isKept === false) continue;
      some.sort((a, b) => a.at - b.at);
      const player = this.#playerOf(part, some);
      if (player) await inSlices(some, (row) => this.#judge(player, row));
    }
  }

  #playerOf(part: string, rows: readonly BucketRow[]): Player | undefined {
    const known = this.#players.get(part);
    if (known) return known;
    if (this.#players.size === MOST_PARTS) {
      this.#isCut = true;
      return undefined;
    }
    const { loaded, step_ms } = this.#ask;
    const times = rows.map(({ at }) => at * step_ms);
    const player = new Player(loaded, usualOf(times, step_ms));
    this.#players.set(part, player);
    return player;
  }

  #judge(player: Player, { at, name, values }: BucketRow): void {
    const averages = this.fields.map(
      (field, n) => [field, values[n * AGGREGATES + AVERAGE]] as const,
    );
    const part: Disk = {
      name: this.#ask.disks.get(name)?.disk['name'],
      ...Object.fromEntries(averages),
      [NAME[this.#kind]]: name,
    };
    if (this.#kind === 'disk' && !part['total_space']) return;
    this.evaluated++;
    const time = this.#ask.from + at * this.#ask.step_ms;
    player.next(time, { ...this.#common, ...partOf(this.#kind, part).values });
  }
}

/** Reads what the newest full report says of the disks of a machine. */
export async function newestDisks(
  { call, system }: Pick<Kernel, 'call' | 'system'>,
  uuid: string,
): Promise<KnownDisks> {
  const asked = { uuids: [uuid], fields: ['disk'] };
  const answer = await call('agent_dynamic_data_multi_last_query', asked, system);
  const [report] = answer as { readonly disk: readonly Disk[] | null }[];
  const found = new Map<string, { disk: Disk; isKept: boolean }>();
  for (const disk of report?.disk ?? []) {
    const mount = String(disk['mount_point']);
    // A mount point that is listed twice is kept where one of the two is.
    if (!found.get(mount)?.isKept) found.set(mount, { disk, isKept: isKeptDisk(disk) });
  }
  return found;
}
