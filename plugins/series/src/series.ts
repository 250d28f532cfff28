import { RpcError } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import type { Figure } from './api.ts';
import type { Field } from './fields.ts';
import type { Columns } from './pack.ts';
import { pauses } from './pauses.ts';
import { MOST_BUCKETS } from './plan.ts';

/** Buckets of one series that fill up. */
class Filling implements Figure {
  readonly count: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sum: Float64Array;
  readonly last: Float64Array;

  constructor(length: number) {
    this.count = new Float64Array(length);
    this.min = new Float64Array(length).fill(Number.POSITIVE_INFINITY);
    this.max = new Float64Array(length).fill(Number.NEGATIVE_INFINITY);
    this.sum = new Float64Array(length);
    this.last = new Float64Array(length).fill(Number.NaN);
  }
}

/** The series of one answer. Values are added in the order of time. */
export class Series {
  readonly #length: number;
  readonly #all = new Map<string, { uuid: string; field: Field; name: string; values: Filling }>();

  constructor(length: number) {
    this.#length = length;
  }

  /** @throws RpcError 108 when the answer has too many buckets */
  of(uuid: string, field: Field, name: string): Filling {
    const key = `${uuid} ${field.name} ${name}`;
    let one = this.#all.get(key);
    if (!one) {
      if ((this.#all.size + 1) * this.#length > MOST_BUCKETS) throw tooMany(this.#all.size + 1);
      one = { uuid, field, name, values: new Filling(this.#length) };
      this.#all.set(key, one);
    }
    return one.values;
  }

  /** JSON of every series, in order. Bytes, because a text of some megabytes would be made into bytes in one go. */
  async json(head: string): Promise<RawJson> {
    const pause = pauses();
    const parts: Buffer[] = [];
    let before = `{${head},"series":[`;
    for (const { uuid, field, name, values } of this.#all.values()) {
      parts.push(Buffer.from(before + text(uuid, field, name, values)));
      before = ',';
      await pause();
    }
    parts.push(Buffer.from(parts.length > 0 ? ']}' : `${before}]}`));
    return new RawJson(Buffer.concat(parts));
  }
}

const tooMany = (series: number) =>
  RpcError.invalid(
    `the answer would have more than ${MOST_BUCKETS} buckets; with ${series} series or more, at most ${Math.floor(MOST_BUCKETS / series)} points are allowed: ask for fewer points, agents or fields`,
  );

/** Adds one value of several reports to a bucket; what comes later is later in time. */
export function add(
  into: Filling,
  at: number,
  value: { count: number; min: number; max: number; avg: number; last: number },
): void {
  if (at < 0 || at >= into.count.length || !(value.count > 0)) return;
  const number = (of: Float64Array) => of[at] as number;
  into.count[at] = number(into.count) + value.count;
  into.min[at] = Math.min(number(into.min), value.min);
  into.max[at] = Math.max(number(into.max), value.max);
  into.sum[at] = number(into.sum) + value.avg * value.count;
  if (!Number.isNaN(value.last)) into.last[at] = value.last;
}

/** Adds the buckets of one row of a rollup that begin from `from` until before `end`; `unit`: of their values in the answer. */
export function addRollup(
  into: Filling,
  of: Columns,
  how: { span: number; ms: number; from: number; end: number; step_ms: number; unit: number },
): void {
  const { span, ms, from, end, step_ms, unit } = how;
  const limit = Math.min(of.length, Math.ceil((end - span) / ms));
  for (let n = Math.max(0, Math.ceil((from - span) / ms)); n < limit; ) {
    const at = Math.floor((span + n * ms - from) / step_ms);
    const next = Math.min(limit, Math.ceil((from + (at + 1) * step_ms - span) / ms));
    let [count, sum, last] = [0, 0, Number.NaN];
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (; n < next; n++) {
      const reports = of.count[n] as number;
      if (reports === 0) continue;
      count += reports;
      sum += (of.avg[n] as number) * reports;
      if ((of.min[n] as number) < min) min = of.min[n] as number;
      if ((of.max[n] as number) > max) max = of.max[n] as number;
      if (!Number.isNaN(of.last[n])) last = of.last[n] as number;
    }
    const avg = (sum / count) * unit;
    add(into, at, { count, min: min * unit, max: max * unit, avg, last: last * unit });
  }
}

function text(uuid: string, { name: field, part }: Field, name: string, values: Filling): string {
  const { count, min, max, sum, last } = values;
  const head = `"uuid":"${uuid}","field":"${field}"${part ? `,"name":${JSON.stringify(name)}` : ''}`;
  const list = (of: (at: number) => number) => {
    const out = new Array<string>(count.length);
    for (let at = 0; at < count.length; at++) {
      const value = count[at] === 0 ? Number.NaN : of(at);
      out[at] = Number.isNaN(value) ? 'null' : String(rounded(value));
    }
    return `[${out.join()}]`;
  };
  const of = (values: Float64Array) => list((at) => values[at] as number);
  const avg = list((at) => (sum[at] as number) / (count[at] as number));
  return `{${head},"min":${of(min)},"avg":${avg},"max":${of(max)},"last":${of(last)}}`;
}

const rounded = (value: number): number =>
  Number.isInteger(value) ? value : Math.round(value * 1000) / 1000;
