import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { NumberReader, NumberWriter, unzigzag, zigzag } from './bytes.ts';

export const HOUR_MS = 3_600_000;
/** Results of one place in an hour; what is beyond is not kept. */
export const MOST_RESULTS = 4_096;
const MOST_BYTES = 512 * 1024;

/** Kinds of bodies: deflated, and as it is where that is shorter. */
const DEFLATED = 1;
const PLAIN = 2;

/** One result of one place; `ms` is what `roundMs` gives. */
export interface PackedResult {
  readonly at: number;
  readonly ok: boolean | null;
  readonly ms: number | null;
  readonly code: number | null;
  readonly detail_id: number | null;
}

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);
const inflate = promisify<Uint8Array, object, Buffer>(inflateRaw);
/** Short texts of single bytes: a small window, and no search for repeats that are not there. */
const DEFLATE = { level: 9, windowBits: 12, memLevel: 5, strategy: constants.Z_DEFAULT_STRATEGY };
const INFLATE = { maxOutputLength: MOST_BYTES };

/** Steps of a stored time: hundredths below 1 ms, tenths below 10 ms, then whole ms. */
const stepOf = (ms: number): number =>
  ms < 0.995 ? Math.round(ms * 100) : ms < 9.95 ? Math.round(ms * 10) + 90 : Math.round(ms) + 180;
const msOf = (step: number): number =>
  step < 100 ? step / 100 : step < 190 ? (step - 90) / 10 : step - 180;

/** Most that a time is kept as: eleven days. */
const MOST_MS = 1e9;

/** Returns a time as it is stored. */
export const roundMs = (ms: number): number => msOf(stepOf(Math.min(Math.max(ms, 0), MOST_MS)));

const STATES = [true, false, null] as const;

/**
 * Packs the results of one place in one hour: in the order of time, at most `MOST_RESULTS`, no two at one time. Away from
 * the event loop as far as it takes time.
 */
export async function encode(hour: number, results: readonly PackedResult[]): Promise<Buffer> {
  const out = new NumberWriter();
  const times = results.map(({ at }) => at);
  const distances = times.slice(1).map((at, place) => at - (times[place] as number));
  const step = usual(distances);
  out.number(results.length);
  out.number(step);
  if (times[0] !== undefined) out.number(times[0] - hour * HOUR_MS);
  out.column(distances.map((distance) => zigzag(distance - step)));
  out.exceptions(
    results.map(({ ok }) => STATES.indexOf(ok)),
    0,
  );
  const codes = results.map(({ code }) => optional(code));
  out.number(usual(codes));
  out.exceptions(codes, usual(codes));
  out.exceptions(
    results.map(({ detail_id }) => (detail_id === null ? 0 : detail_id + 1)),
    0,
  );
  out.exceptions(
    results.map(({ ms }) => Number(ms === null)),
    0,
  );
  const steps = results.flatMap(({ ms }) => (ms === null ? [] : [stepOf(ms)]));
  out.column(steps.map((value, place) => zigzag(value - (steps[place - 1] ?? 0))));
  const plain = out.bytes();
  const short = await deflate(plain, DEFLATE);
  return short.length < plain.length
    ? Buffer.concat([Buffer.of(DEFLATED), short])
    : Buffer.concat([Buffer.of(PLAIN), plain]);
}

/** Returns what `encode` packed. @throws Error for other bytes */
export async function decode(hour: number, body: Uint8Array): Promise<PackedResult[]> {
  const content = body.subarray(1);
  if (body[0] !== DEFLATED && body[0] !== PLAIN) throw new Error('the version is unknown');
  if (content.length > MOST_BYTES) throw new Error('the body is too long');
  const input = new NumberReader(body[0] === PLAIN ? content : await inflate(content, INFLATE));
  const length = input.number(MOST_RESULTS);
  const step = input.number(HOUR_MS);
  const times = timesOf(input, length, step);
  const states = input.exceptions(length, 0);
  const codes = input.exceptions(length, input.number());
  const details = input.exceptions(length, 0);
  const missing = input.exceptions(length, 0);
  const steps = input.column(missing.filter((value) => value === 0).length);
  input.end();
  let [place, last] = [0, 0];
  const ms = missing.map((isMissing) => {
    if (isMissing !== 0) return null;
    last += unzigzag(steps[place++] as number);
    if (last < 0) throw new Error('a time is less than nothing');
    return msOf(last);
  });
  return times.map((at, n) => {
    const ok = STATES[states[n] as number];
    if (ok === undefined) throw new Error('a state is unknown');
    const [code, detail] = [codes[n] as number, details[n] as number];
    return {
      at: hour * HOUR_MS + at,
      ok,
      ms: ms[n] as number | null,
      code: code === 0 ? null : unzigzag(code - 1),
      detail_id: detail === 0 ? null : detail - 1,
    };
  });
}

/** Reads times of an hour, each later than the one before. */
function timesOf(input: NumberReader, length: number, step: number): number[] {
  if (length === 0) return [];
  let at = input.number(HOUR_MS - 1);
  const times = [at];
  for (const difference of input.column(length - 1)) {
    const distance = step + unzigzag(difference);
    at += distance;
    if (distance <= 0 || at >= HOUR_MS) throw new Error('a time lies outside its hour');
    times.push(at);
  }
  return times;
}

const optional = (value: number | null): number => (value === null ? 0 : zigzag(value) + 1);

/** Returns the most frequent value; 0 of none. */
function usual(values: readonly number[]): number {
  const counts = new Map<number, number>();
  let [found, most] = [0, 0];
  for (const value of values) {
    const count = (counts.get(value) ?? 0) + 1;
    counts.set(value, count);
    if (count > most) [found, most] = [value, count];
  }
  return found;
}
