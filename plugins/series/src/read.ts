import { setImmediate } from 'node:timers/promises';
import type { ReportBuckets } from '@svc/plugin-agent/api';
import type { RawJson } from '@svc/plugin-sdk';
import { type Field, fieldsOf, nameOf, PARTS } from './fields.ts';
import { unpack } from './pack.ts';
import type { Plan } from './plan.ts';
import { add, Series } from './series.ts';
import { floorTo, type Step } from './steps.ts';
import type { BlockStore } from './store/blocks.ts';

export interface Reading {
  readonly plan: Plan;
  readonly fields: readonly Field[];
  readonly agents: readonly { readonly id: number; readonly uuid: string }[];
  readonly signal: AbortSignal;
  /** The caller for whom it reads. */
  readonly share: string;
}

type Agent = Reading['agents'][number];

/** Rollups are unpacked in slices that leave the event loop to others. */
const SLICE_MS = 5;

/** Reads what a plan says: rollups, then reports that are not rolled up. @throws RpcError 103, 108, -32008 */
export class SeriesReader {
  readonly #buckets: ReportBuckets;
  readonly #blocks: BlockStore;

  constructor(buckets: ReportBuckets, blocks: BlockStore) {
    this.#buckets = buckets;
    this.#blocks = blocks;
  }

  async read(reading: Reading): Promise<RawJson> {
    const { plan, agents, fields } = reading;
    const { from, to, step_ms, step, rawFrom } = plan;
    const series = new Series(Math.ceil((to - from) / step_ms));
    let since = performance.now();
    for (const agent of agents) {
      for (const field of fields) {
        // A field of summaries has its series also where no report has come.
        if (!field.part) series.of(agent.uuid, field, '');
        if (!step || rawFrom <= from) continue;
        await this.#rolled(series, plan, step, agent, field);
        reading.signal.throwIfAborted();
        if (performance.now() - since < SLICE_MS) continue;
        await setImmediate();
        since = performance.now();
      }
      if (rawFrom < to) await this.#stored(series, reading, agent);
    }
    const source = step?.source ?? 'raw';
    return series.json(`"from":${from},"step_ms":${step_ms},"source":"${source}"`);
  }

  async #rolled(series: Series, plan: Plan, step: Step, agent: Agent, field: Field): Promise<void> {
    const { from, to, step_ms, rawFrom } = plan;
    const keys = field.part
      ? ([`${field.name} `, `${field.name}!`] as const)
      : ([field.name, `${field.name} `] as const);
    const end = Math.min(to, rawFrom);
    const spans = { from: floorTo(from, step.span), to: end };
    const scale = field.stored * field.packed;
    for (const block of await this.#blocks.between(agent.id, step, keys, spans)) {
      const into = series.of(agent.uuid, field, nameOf(block.series));
      const { count, min, max, avg, last } = unpack(block.data, step.buckets);
      const span = Number(block.span);
      for (let n = 0; n < count.length; n++) {
        const time = span + n * step.ms;
        if (count[n] === 0 || time < from || time >= end) continue;
        const value = (of: Float64Array) => (of[n] as number) / scale;
        const cell = { min: value(min), max: value(max), avg: value(avg), last: value(last) };
        add(into, Math.floor((time - from) / step_ms), { count: count[n] as number, ...cell });
      }
    }
  }

  async #stored(series: Series, reading: Reading, { id, uuid }: Agent): Promise<void> {
    const { plan, signal, share } = reading;
    const { from, to, step_ms, rawFrom } = plan;
    const begin = floorTo(rawFrom - from, step_ms) + from;
    // Buckets count from the plan's begin; the first one may be a part of a bucket, whose rest is rolled up.
    const offset = (begin - from) / step_ms;
    const ask = { id, from: rawFrom, to, step: step_ms, signal, share };
    const shifted = { ...ask, origin: begin };
    for (const part of [undefined, ...PARTS]) {
      const fields = fieldsOf(part, reading.fields);
      if (fields.length === 0) continue;
      const names = fields.map(({ value }) => value);
      const rows = part
        ? await this.#buckets.parts(shifted, part, names)
        : await this.#buckets.summary(shifted, names);
      for (const { at, name, values } of rows) {
        for (let n = 0; n < fields.length; n++) {
          const field = fields[n] as Field;
          const of = (which: number) => {
            const value = values[5 * n + which];
            return value == null ? Number.NaN : value / (which === 0 ? 1 : field.stored);
          };
          const cell = { count: of(0), min: of(1), max: of(2), avg: of(3), last: of(4) };
          add(series.of(uuid, field, name), at + offset, cell);
        }
      }
    }
  }
}
