import type { Logger, Span } from '@svc/plugin-sdk';
import type { Fields, Level, LogRecord } from '@svc/plugin-sdk/kernel';
import { isTold } from '@svc/plugin-sdk/util';
import { type Filter, RANK, shownTarget } from './filter.ts';
import { makeRecord } from './record.ts';

/** Target of records. `write` must not throw. */
export interface Sink {
  readonly filter: Filter;
  write(record: LogRecord): void;
}

type RecordParts = [message: string, fields: Fields | undefined, spans: readonly Span[]];

/** State that the loggers of one target share: thresholds, computed again after a change of sinks. */
interface Area {
  readonly target: string;
  readonly shown: string;
  generation: number;
  /** Highest rank that some sink takes. */
  threshold: number;
  sinks: readonly { readonly sink: Sink; readonly threshold: number }[];
}

/** Gives each record to the sinks whose filter takes it. */
export class Hub {
  readonly #rename: (target: string) => string;
  #sinks: readonly Sink[] = [];
  /** Changes with the sinks. */
  #generation = 0;

  /** @param rename gives the name of a target under the deployment's brand */
  constructor(rename: (target: string) => string) {
    this.#rename = rename;
  }

  /** @returns removes the sink */
  add(sink: Sink): () => void {
    this.#change([...this.#sinks, sink]);
    return () => this.#change(this.#sinks.filter((other) => other !== sink));
  }

  logger(target: string, spans: readonly Span[] = []): Logger {
    const name = this.#rename(target);
    const shown = shownTarget(name);
    const area = { target: name, shown, generation: -1, threshold: RANK.off, sinks: [] };
    return new AreaLogger(this, area, spans);
  }

  takes(area: Area, level: Level): boolean {
    if (area.generation !== this.#generation) this.#refresh(area);
    return area.threshold >= RANK[level];
  }

  /** A failure that the database's alarm tells of once a minute is a detail here, whichever call met it. */
  write(area: Area, given: Level, ...parts: RecordParts): void {
    if (!this.takes(area, given)) return;
    const [, fields] = parts;
    const isDetail = RANK[given] < RANK.debug && isTold(fields?.['error']);
    const level = isDetail ? 'debug' : given;
    if (isDetail && !this.takes(area, level)) return;
    const record = makeRecord({ level, target: area.shown }, ...parts);
    for (const { sink, threshold } of area.sinks) {
      if (threshold >= RANK[level]) sink.write(record);
    }
  }

  #change(sinks: readonly Sink[]): void {
    this.#sinks = sinks;
    this.#generation++;
  }

  #refresh(area: Area): void {
    area.generation = this.#generation;
    area.sinks = this.#sinks
      .map((sink) => ({ sink, threshold: sink.filter.threshold(area.target) }))
      .filter(({ threshold }) => threshold > RANK.off);
    area.threshold = Math.max(RANK.off, ...area.sinks.map(({ threshold }) => threshold));
  }
}

/** A class, because one is made for every call: no closures. */
class AreaLogger implements Logger {
  readonly #hub: Hub;
  readonly #area: Area;
  readonly #spans: readonly Span[];

  constructor(hub: Hub, area: Area, spans: readonly Span[]) {
    this.#hub = hub;
    this.#area = area;
    this.#spans = spans;
  }

  trace(message: string, fields?: Fields): void {
    this.#hub.write(this.#area, 'trace', message, fields, this.#spans);
  }

  debug(message: string, fields?: Fields): void {
    this.#hub.write(this.#area, 'debug', message, fields, this.#spans);
  }

  info(message: string, fields?: Fields): void {
    this.#hub.write(this.#area, 'info', message, fields, this.#spans);
  }

  warn(message: string, fields?: Fields): void {
    this.#hub.write(this.#area, 'warn', message, fields, this.#spans);
  }

  error(message: string, fields?: Fields): void {
    this.#hub.write(this.#area, 'error', message, fields, this.#spans);
  }

  enabled(level: Level): boolean {
    return this.#hub.takes(this.#area, level);
  }

  target(name: string): Logger {
    return this.#hub.logger(name, this.#spans);
  }

  span(span: Span): Logger {
    return new AreaLogger(this.#hub, this.#area, [span, ...this.#spans]);
  }
}
