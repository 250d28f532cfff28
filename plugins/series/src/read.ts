import type { ReportBuckets } from '@svc/plugin-agent/api';
import { RpcError } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';
import { type Field, fieldsOf, nameOf, PARTS } from './fields.ts';
import { columns, unpack } from './pack.ts';
import { pauses } from './pauses.ts';
import type { Plan } from './plan.ts';
import { add, addRollup, Series } from './series.ts';
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

/** Buckets of rollups that one call reads at most: about a second of work. */
const MOST_CELLS = 25_000_000;

/** Reads what a plan says: rollups, then reports that are not rolled up. @throws RpcError 103, 108, -32008 */
export class SeriesReader {
  readonly #buckets: ReportBuckets;
  readonly #blocks: BlockStore;

  constructor(buckets: ReportBuckets, blocks: BlockStore) {
    this.#buckets = buckets;
    this.#blocks = blocks;
  }

  async read(reading: Reading): Promise<RawJson> {
    const { from, step_ms, step } = reading.plan;
    const series = await this.fill(reading);
    const source = step?.source ?? 'raw';
    return series.json(`"from":${from},"step_ms":${step_ms},"source":"${source}"`);
  }

  async fill(reading: Reading): Promise<Series> {
    const { plan, agents, fields } = reading;
    const { from, to, step_ms, step, rawFrom } = plan;
    const series = new Series(Math.ceil((to - from) / step_ms));
    const rolled = step && rawFrom > from ? this.#rolled(series, reading, step) : undefined;
    for (const agent of agents) {
      for (const field of fields) {
        // A field of summaries has its series also where no report has come.
        if (!field.part) series.of(agent.uuid, field, '');
        await rolled?.(agent, field);
      }
      if (rawFrom < to) await this.#stored(series, reading, agent);
    }
    return series;
  }

  #rolled(series: Series, { plan, signal }: Reading, step: Step) {
    const { from, to, step_ms, rawFrom } = plan;
    const end = Math.min(to, rawFrom);
    const spans = { from: floorTo(from, step.span), to: end };
    const pause = pauses();
    // One for all rows: nothing waits between filling it and reading it.
    const buckets = columns(step.buckets);
    let cells = 0;
    return async ({ id, uuid }: Agent, field: Field): Promise<void> => {
      const keys = field.part
        ? ([`${field.name} `, `${field.name}!`] as const)
        : ([field.name, `${field.name} `] as const);
      const unit = 1 / (field.stored * field.packed);
      for await (const blocks of this.#blocks.between(id, step, keys, spans)) {
        cells += blocks.length * step.buckets;
        if (cells > MOST_CELLS) throw tooLong(step);
        for (const block of blocks) {
          const into = series.of(uuid, field, nameOf(block.series));
          unpack(block.data, buckets);
          const span = Number(block.span);
          addRollup(into, buckets, { span, ms: step.ms, from, end, step_ms, unit });
          await pause();
        }
        signal.throwIfAborted();
      }
    };
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
      const found = part
        ? this.#buckets.parts(shifted, part, names)
        : this.#buckets.summary(shifted, names);
      for await (const rows of found) {
        for (const { at, name, values } of rows) {
          for (let n = 0; n < fields.length; n++) {
            const field = fields[n] as Field;
            const value = (of: number) => (values[of] ?? Number.NaN) / field.stored;
            const count = values[4 * n] ?? 0;
            const min = value(4 * n + 1);
            const max = value(4 * n + 2);
            const avg = value(4 * n + 3);
            const last = value(4 * fields.length + n);
            add(series.of(uuid, field, name), at + offset, { count, min, max, avg, last });
          }
        }
      }
    }
  }
}

const tooLong = ({ source }: Step) =>
  RpcError.invalid(
    `the answer would be made of more than ${MOST_CELLS} rollups by the ${source.replace('_', '-')}: ask for fewer agents or fields, or a shorter range`,
  );
