import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';

/** A report as it waits: `data` is JSON text without a line break. The token is not kept. */
export interface Report {
  readonly method: string;
  readonly data: string;
}

export interface SpoolOptions {
  /** Made with the first report. */
  readonly dir: string;
  readonly max_bytes: number;
  readonly max_age_ms: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Reports that are sent again together, and a file on the disk. */
export interface Segment {
  readonly name: string;
  readonly reports: readonly Report[];
}

const MAX_LINES = 32;
/** Reports that wait for a slow disk. Beyond these they are lost. */
const MAX_PENDING = 256;
/** `TIME-NUMBER.reports`, so that names sort by age. */
const NAME = /^(\d{15})-\d{6}\.reports$/;

interface File {
  readonly name: string;
  bytes: number;
  lines: number;
}

/**
 * Reports to one server on the disk, oldest first, in files of 32 lines. Beyond `max_bytes` the oldest file goes, beyond
 * `max_age_ms` every file that is older. An end of the process in the middle of a line costs that line only.
 */
export class Spool {
  readonly #options: SpoolOptions;
  #work: Promise<unknown> = Promise.resolve();
  #files: File[] | undefined;
  #pending = 0;
  #made = 0;
  #isFailing = false;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Adds a report. Never waits and never throws: what cannot be written is lost, which is logged once. */
  add({ method, data }: Report): void {
    if (this.#pending >= MAX_PENDING) return;
    this.#pending += 1;
    const line = `${method} ${data}\n`;
    void this.#inTurn(() => this.#append(line)).finally(() => {
      this.#pending -= 1;
    });
  }

  /** The oldest reports; undefined when none wait. No more is added to them. */
  async oldest(): Promise<Segment | undefined> {
    return await this.#inTurn(async () => {
      const files = await this.#listFiles();
      await this.#shrink(files);
      const file = files[0];
      if (!file) return undefined;
      file.lines = MAX_LINES;
      const text = await readFile(join(this.#options.dir, file.name), 'utf8');
      return { name: file.name, reports: text.split('\n').flatMap(readLine) };
    });
  }

  /** Keeps only these reports of a segment. */
  async retain({ name }: Segment, reports: readonly Report[]): Promise<void> {
    await this.#inTurn(async () => {
      const files = await this.#listFiles();
      const file = files.find((one) => one.name === name);
      if (!file) return;
      if (reports.length === 0) return await this.#remove(files, file);
      const text = reports.map(({ method, data }) => `${method} ${data}\n`).join('');
      await writeFile(join(this.#options.dir, name), text, { mode: 0o600 });
      file.bytes = Buffer.byteLength(text);
    });
  }

  /** Resolves when everything that was added is on the disk. */
  async settle(): Promise<void> {
    await this.#work;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { dir, log } = this.#options;
    const done = this.#work.then(work).then(
      (value) => {
        this.#isFailing = false;
        return value;
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        if (!this.#isFailing) log.warn('reports cannot be kept on the disk', { dir, reason });
        this.#isFailing = true;
        return undefined;
      },
    );
    this.#work = done;
    return done;
  }

  async #append(line: string): Promise<void> {
    const { dir, clock } = this.#options;
    const files = await this.#listFiles();
    let file = files.at(-1);
    if (!file || file.lines >= MAX_LINES) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      this.#made += 1;
      const name = `${pad(clock.now(), 15)}-${pad(this.#made, 6)}.reports`;
      file = { name, bytes: 0, lines: 0 };
      files.push(file);
    }
    await appendFile(join(dir, file.name), line, { mode: 0o600 });
    file.bytes += Buffer.byteLength(line);
    file.lines += 1;
    await this.#shrink(files);
  }

  /** The files, oldest first. Those of an earlier run get no more lines. */
  async #listFiles(): Promise<File[]> {
    if (this.#files) return this.#files;
    const { dir } = this.#options;
    const names = await readdir(dir).catch(() => []);
    const files: File[] = [];
    for (const name of names.filter((one) => NAME.test(one)).sort()) {
      const { size } = await stat(join(dir, name));
      files.push({ name, bytes: size, lines: MAX_LINES });
    }
    this.#files = files;
    return files;
  }

  async #shrink(files: File[]): Promise<void> {
    const { clock, max_age_ms, max_bytes } = this.#options;
    const isOld = ({ name }: File) => Number(name.slice(0, 15)) < clock.now() - max_age_ms;
    const isFull = () => files.reduce((sum, { bytes }) => sum + bytes, 0) > max_bytes;
    while (files[0] && (isOld(files[0]) || isFull())) await this.#remove(files, files[0]);
  }

  async #remove(files: File[], file: File): Promise<void> {
    await rm(join(this.#options.dir, file.name), { force: true });
    files.splice(files.indexOf(file), 1);
  }
}

const pad = (value: number, width: number): string =>
  String(Math.max(0, Math.trunc(value))).padStart(width, '0');

/** A line, or nothing for one that was cut off. */
function readLine(line: string): Report[] {
  const blank = line.indexOf(' ');
  const report = { method: line.slice(0, blank), data: line.slice(blank + 1) };
  try {
    if (blank > 0 && JSON.parse(report.data)) return [report];
  } catch {
    // The process or the machine ended while it was written.
  }
  return [];
}
