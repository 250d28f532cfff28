import type { Fields, Level, Logger, LogRecord, Span } from '@svc/plugin-sdk';
import { type Filter, RANK, shownTarget } from './filter.ts';
import { makeRecord } from './record.ts';

/** Where records go. `write` must not throw. */
export interface Sink {
  readonly filter: Filter;
  write(record: LogRecord): void;
}

/** Gives each record to the sinks whose filter takes it. */
export interface Hub {
  /** @returns removes the sink */
  add(sink: Sink): () => void;
  logger(target: string): Logger;
}

/** What the loggers of one target share: thresholds, computed again after a change of sinks. */
interface Area {
  readonly target: string;
  readonly shown: string;
  generation: number;
  /** Highest rank that some sink takes. */
  threshold: number;
  sinks: readonly { readonly sink: Sink; readonly threshold: number }[];
}

/** @param rename gives the name of a target under the deployment's brand */
export function createHub(rename: (target: string) => string = (target) => target): Hub {
  let sinks: readonly Sink[] = [];
  let generation = 0;
  const change = (next: readonly Sink[]) => {
    sinks = next;
    generation++;
  };

  const current = (area: Area): Area => {
    if (area.generation === generation) return area;
    area.generation = generation;
    area.sinks = sinks
      .map((sink) => ({ sink, threshold: sink.filter.threshold(area.target) }))
      .filter(({ threshold }) => threshold > RANK.off);
    area.threshold = Math.max(RANK.off, ...area.sinks.map(({ threshold }) => threshold));
    return area;
  };

  const write: Write = (area, level, message, fields, spans) => {
    const rank = RANK[level];
    if (current(area).threshold < rank) return;
    const record = makeRecord(level, area.shown, message, fields, spans);
    for (const { sink, threshold } of area.sinks) {
      if (threshold >= rank) sink.write(record);
    }
  };
  const shared: Shared = { current, write, rename };

  return {
    add(sink) {
      change([...sinks, sink]);
      return () => change(sinks.filter((other) => other !== sink));
    },
    logger: (target) => new AreaLogger(shared, areaOf(rename(target)), []),
  };
}

type Write = (
  area: Area,
  level: Level,
  message: string,
  fields: Fields | undefined,
  spans: readonly Span[],
) => void;

interface Shared {
  readonly current: (area: Area) => Area;
  readonly write: Write;
  readonly rename: (target: string) => string;
}

/** A class, because one is made for every call: no closures. */
class AreaLogger implements Logger {
  readonly #shared: Shared;
  readonly #area: Area;
  readonly #spans: readonly Span[];

  constructor(shared: Shared, area: Area, spans: readonly Span[]) {
    this.#shared = shared;
    this.#area = area;
    this.#spans = spans;
  }

  trace(message: string, fields?: Fields): void {
    this.#shared.write(this.#area, 'trace', message, fields, this.#spans);
  }

  debug(message: string, fields?: Fields): void {
    this.#shared.write(this.#area, 'debug', message, fields, this.#spans);
  }

  info(message: string, fields?: Fields): void {
    this.#shared.write(this.#area, 'info', message, fields, this.#spans);
  }

  warn(message: string, fields?: Fields): void {
    this.#shared.write(this.#area, 'warn', message, fields, this.#spans);
  }

  error(message: string, fields?: Fields): void {
    this.#shared.write(this.#area, 'error', message, fields, this.#spans);
  }

  enabled(level: Level): boolean {
    return this.#shared.current(this.#area).threshold >= RANK[level];
  }

  target(name: string): Logger {
    return new AreaLogger(this.#shared, areaOf(this.#shared.rename(name)), this.#spans);
  }

  span(span: Span): Logger {
    return new AreaLogger(this.#shared, this.#area, [span, ...this.#spans]);
  }
}

function areaOf(target: string): Area {
  return { target, shown: shownTarget(target), generation: -1, threshold: RANK.off, sinks: [] };
}
