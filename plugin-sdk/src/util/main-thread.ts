import { PerformanceObserver } from 'node:perf_hooks';

/** A turn that holds the main thread for longer keeps every other caller waiting. */
const LONG_MS = 50;
/** Age of a sample after which the thread's processor time is read again: it costs ten times what the clock does. */
const FRESH_MS = 10;
/** Names of one turn that are kept. */
const MOST_NAMES = 256;
/** Garbage collections that are remembered; one turn of interest holds fewer. */
const MOST_COLLECTIONS = 256;

/** A turn of the main thread that used more than 50 ms of its processor time. */
export interface LongTurn {
  /** Processor time in milliseconds at least, without garbage collections; it may be up to 10 ms more. */
  readonly cpu_ms: number;
  /** Name of the method or route that ran longest in it. */
  readonly call: string;
  /** Everything that began or ended in it, in this order, without repeats. */
  readonly calls: readonly string[];
}

type Listener = (turn: LongTurn) => void;

interface Mark {
  readonly name: string;
  /** Time of the beginning; undefined: it had begun before. */
  readonly at: number | undefined;
}

interface Turn {
  readonly begun: number;
  readonly ended: number;
  readonly cpu_ms: number;
  readonly marks: readonly Mark[];
}

const machine = process as NodeJS.Process & { threadCpuUsage?(): NodeJS.CpuUsage };
/** Node 23.9 and later say what one thread used; on a busy machine no other time says whose fault it was. */
export const tellsThreadTime = machine.threadCpuUsage !== undefined;

const listeners = new Set<Listener>();
let marks: Mark[] = [];
let isOpen = false;
let begun = 0;
/** The last look at the thread's processor time: when, and what it was. */
let sampled = { at: 0, cpu_ms: 0 };
let collections: { readonly at: number; readonly took_ms: number }[] = [];

const observer = new PerformanceObserver((list) => remember(list.getEntries()));
const settled = Promise.resolve();

/**
 * Calls `listener` with each long turn, until the function that it returns is called. Nothing is watched while no one
 * listens, nor on a Node that does not tell processor time by thread.
 */
export function onLongTurn(listener: Listener): () => void {
  if (!tellsThreadTime) return () => {};
  if (listeners.size === 0) observer.observe({ entryTypes: ['gc'] });
  listeners.add(listener);
  return () => {
    if (listeners.delete(listener) && listeners.size === 0) observer.disconnect();
  };
}

/**
 * Says that the main thread works for callers: from here to the end of this turn its processor time is watched. A turn is
 * one callback of the event loop with every promise that it settles: what others do on this thread is not in it.
 */
export function mark(): void {
  if (!isOpen && listeners.size > 0) open();
}

/**
 * Marks as `mark` does, where it is known what the work is for: a name of which there are few.
 * @param at when it began, by `performance.now()`; absent: before this turn, or unknown
 */
export function markFor(name: string, at?: number): void {
  if (listeners.size === 0) return;
  if (!isOpen) open();
  if (marks.length < MOST_NAMES) marks.push({ name, at });
}

function open(): void {
  isOpen = true;
  begun = performance.now();
  if (begun - sampled.at > FRESH_MS) sampleProcessorTime(begun);
  void settled.then(afterTicks);
}

/** Runs when the promises that were settled before have run; a tick runs when all have. */
const afterTicks = () => process.nextTick(close);

function sampleProcessorTime(at: number): void {
  const { user = 0, system = 0 } = machine.threadCpuUsage?.() ?? {};
  sampled = { at, cpu_ms: (user + system) / 1_000 };
}

function close(): void {
  isOpen = false;
  const ended = performance.now();
  const ran = marks;
  if (ran.length > 0) marks = [];
  if (ended - begun <= LONG_MS) return;
  const { at, cpu_ms: before } = sampled;
  sampleProcessorTime(ended);
  // What ran between the last look and the beginning is left out, as if all of it had been processor time.
  const cpu_ms = sampled.cpu_ms - before - Math.max(0, begun - at);
  if (cpu_ms <= LONG_MS) return;
  const turn = { begun, ended, cpu_ms, marks: ran };
  // Collections of this turn are reported at the end of the event loop's round.
  setImmediate(() => judge(turn));
}

function judge(judged: Turn): void {
  const { begun: from, ended, cpu_ms, marks: ran } = judged;
  remember(observer.takeRecords());
  const collecting = collections.reduce(
    (sum, { at, took_ms }) => sum + Math.max(0, Math.min(at + took_ms, ended) - Math.max(at, from)),
    0,
  );
  if (cpu_ms - collecting <= LONG_MS) return;
  const turn = {
    cpu_ms: Math.round(cpu_ms - collecting),
    call: longest(judged),
    calls: [...new Set(ran.map(({ name }) => name))],
  };
  for (const listener of listeners) listener(turn);
}

/** Name of the work that began longest before the next one did; what came before the first belongs to what is named first. */
function longest({ begun: from, ended, marks: ran }: Turn): string {
  const [first, ...others] = ran;
  const began = others.filter(({ at }) => at !== undefined);
  let [name, since, most] = [first?.name ?? '', from, 0];
  let current = name;
  for (const { name: next, at = ended } of [...began, { name: '', at: ended }]) {
    if (at - since > most) [name, most] = [current, at - since];
    [current, since] = [next, at];
  }
  return name;
}

function remember(entries: readonly { startTime: number; duration: number }[]): void {
  const finished = entries.map(({ startTime, duration }) => ({ at: startTime, took_ms: duration }));
  collections = [...collections, ...finished].slice(-MOST_COLLECTIONS);
}
