import type { BucketRow, ReportBuckets } from '@svc/plugin-agent/api';
import { type Field, fieldsOf, keyOf, PARTS } from './fields.ts';
import { type Columns, columns, pack, unpack } from './pack.ts';
import { floorTo, HOUR_MS, MINUTE, QUARTER, type Step } from './steps.ts';
import type { Block, BlockStore } from './store/blocks.ts';
import type { ReportKind } from './store/state.ts';

/** Disks, interfaces or cores of one agent that are kept; a name has so many characters at most. */
const MOST_NAMES = 300;
const NAME_LENGTH = 200;

/** One bucket of one series; values are those of a rollup. */
export interface Cell {
  readonly time: number;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  /** NaN: none. */
  readonly last: number;
}

/** Cells by the key of their series, in the order of time. */
type Fresh = Map<string, Cell[]>;

/** Writes rollups of stored reports. The same hour may be written any number of times. */
export class Rollup {
  readonly #buckets: ReportBuckets;
  readonly #blocks: BlockStore;

  constructor(buckets: ReportBuckets, blocks: BlockStore) {
    this.#buckets = buckets;
    this.#blocks = blocks;
  }

  /** Rolls up an agent's reports of these hours, which follow on each other. @throws RpcError 103 */
  async hours(
    kind: ReportKind,
    id: number,
    first: number,
    count: number,
    signal: AbortSignal,
  ): Promise<void> {
    const from = first * HOUR_MS;
    const to = from + count * HOUR_MS;
    const ask = { id, from, to, step: MINUTE.ms, signal, share: 'rollups' };
    const minutes: Fresh = new Map();
    if (kind === 'summary') {
      const fields = fieldsOf(undefined);
      const names = fields.map(({ value }) => value);
      const add = addingTo(minutes, fields, from);
      for await (const rows of this.#buckets.summary(ask, names)) add(rows);
    } else {
      for (const part of PARTS) {
        const fields = fieldsOf(part);
        const names = fields.map(({ value }) => value);
        const add = addingTo(minutes, fields, from);
        for await (const rows of this.#buckets.parts(ask, part, names)) add(rows);
      }
    }
    if (minutes.size === 0) return;
    await this.#store(id, MINUTE, minutes);
    await this.#store(
      id,
      QUARTER,
      new Map([...minutes].map(([key, cells]) => [key, wider(cells)])),
    );
  }

  async #store(id: number, step: Step, fresh: Fresh): Promise<void> {
    const spans = new Set<number>();
    for (const cells of fresh.values()) {
      for (const { time } of cells) spans.add(floorTo(time, step.span));
    }
    const stored = new Map<string, Columns>();
    for (const { series, span, data } of await this.#blocks.ofAgent(id, step, [...spans])) {
      const block = columns(step.buckets);
      unpack(data, block);
      stored.set(`${span} ${series}`, block);
    }
    const blocks: Block[] = [];
    for (const [series, cells] of fresh) {
      const bySpan = Map.groupBy(cells, ({ time }) => floorTo(time, step.span));
      for (const [span, some] of bySpan) {
        const block = stored.get(`${span} ${series}`) ?? columns(step.buckets);
        for (const cell of some) put(block, (cell.time - span) / step.ms, cell);
        blocks.push({ series, span, data: pack(block) });
      }
    }
    await this.#blocks.put(id, step, blocks);
  }
}

/** A bucket of more reports is the more complete one: what was deleted since does not take away what was rolled up. */
function put(block: Columns, at: number, { count, min, max, avg, last }: Cell): void {
  if (count < (block.count[at] ?? 0)) return;
  block.count[at] = count;
  block.min[at] = min;
  block.max[at] = max;
  block.avg[at] = avg;
  block.last[at] = last;
}

function addingTo(into: Fresh, fields: readonly Field[], from: number) {
  const names = new Set<string>();
  return (rows: readonly BucketRow[]): void => {
    for (const { at, name, values } of rows) {
      if (names.size < MOST_NAMES) names.add(name);
      if (!names.has(name) || name.length > NAME_LENGTH) continue;
      for (let n = 0; n < fields.length; n++) {
        const field = fields[n] as Field;
        const [count, min, max, avg] = values.slice(4 * n, 4 * n + 4);
        if (!count || min == null || max == null || avg == null) continue;
        const whole = (value: number | null | undefined) =>
          value == null ? Number.NaN : Math.round(value * field.packed);
        const key = keyOf(field, name);
        const cells = into.get(key) ?? [];
        if (cells.length === 0) into.set(key, cells);
        cells.push({
          time: from + at * MINUTE.ms,
          count,
          min: whole(min),
          max: whole(max),
          avg: avg * field.packed,
          last: whole(values[4 * fields.length + n]),
        });
      }
    }
  };
}

/** Quarter-hours of minutes. */
function wider(minutes: readonly Cell[]): Cell[] {
  const groups = Map.groupBy(minutes, ({ time }) => floorTo(time, QUARTER.ms));
  return [...groups].map(([time, cells]) => {
    const count = cells.reduce((sum, cell) => sum + cell.count, 0);
    return {
      time,
      count,
      min: Math.min(...cells.map(({ min }) => min)),
      max: Math.max(...cells.map(({ max }) => max)),
      avg: cells.reduce((sum, cell) => sum + cell.avg * cell.count, 0) / count,
      last: cells.at(-1)?.last ?? Number.NaN,
    };
  });
}
