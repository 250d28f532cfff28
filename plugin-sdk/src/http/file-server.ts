import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { conditionsOf, ifRangeHolds } from './conditions.ts';
import type { Exchange } from './contract.ts';
import { etagOf } from './etag.ts';
import { mediaType, webType } from './media-types.ts';
import { multipartOf } from './multipart.ts';
import type { OpenFile } from './open-file.ts';
import { parseRange, parseRanges, type Slice, type Wanted } from './range.ts';
import type { Representation } from './representation.ts';
import { Cut, finished, type Pace, sendFile, written } from './stream.ts';

export interface FileServerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Time in which a client has to take 128 KiB, or is disconnected. Default: a minute. */
  readonly stall_ms?: () => number;
  /** Files that are streamed at once; beyond, 503. Default: 512. */
  readonly maxDownloads?: () => number;
}

/** Part of all downloads that one address may have, and how many it may have at least. */
const ADDRESS_PART = 0.25;
const ADDRESS_LEAST = 64;
/** Time without progress of its client after which a download makes room where there is none. */
const STUCK_MS = 2_000;

interface Download {
  readonly address: string;
  readonly cut: () => void;
  /** Time at which its client last took something, ms. */
  movedAt: number;
}

const NO_BODY: readonly string[] = ['content-length', '0'];

/**
 * Answers GET and HEAD for files and for bytes in memory: conditional requests, ranges, back-pressure, deadlines
 * (static-http.md §A4, RFC 9110 §13 and §14).
 */
export class FileServer {
  readonly #options: Required<FileServerOptions>;
  readonly #running = new Set<Download>();

  constructor(options: FileServerOptions) {
    this.#options = { stall_ms: () => 60_000, maxDownloads: () => 512, ...options };
  }

  #pace(): Pace {
    const { clock, stall_ms } = this.#options;
    return { clock, stall_ms: stall_ms() };
  }

  /** `"<mtime s>-<size>"`, followed by `-<µs>` when the file system knows parts of a second. */
  etag = etagOf;
  /** Media type by a file's name, without charset (static-http.md §B5). */
  mediaType = mediaType;
  /** Media type as a browser gets it: fewer extensions, with charset (static-http.md §A4). */
  webType = webType;

  /** Returns a promise only when it has to wait. Never fails and does not close the file. */
  serve(exchange: Exchange, whole: Representation): void | Promise<void> {
    try {
      const work = this.#answer(exchange, whole);
      return work?.catch((error) => this.#fail(exchange, error));
    } catch (error) {
      return this.#fail(exchange, error);
    }
  }

  #fail({ response, path }: Exchange, error: unknown): void {
    response.destroy();
    const { log } = this.#options;
    if (error instanceof Cut) log.debug('download cut', { path, error });
    else log.warn('file could not be sent', { path, error });
  }

  /** Returns a promise only when it has to wait. */
  #answer(exchange: Exchange, whole: Representation): void | Promise<void> {
    const {
      request: { headers },
      response,
      method,
    } = exchange;
    const verdict = conditionsOf(headers, whole);
    if (verdict !== 'go on') return answerCondition(response, verdict, whole);
    if (method === 'HEAD') return head(response, whole);
    return this.#get(exchange, whole, rangesOf(headers, whole));
  }

  #get(exchange: Exchange, whole: Representation, wanted: Ranges): void | Promise<void> {
    const { response } = exchange;
    const { body, size, common } = whole;
    if (wanted === 'unsatisfiable') {
      const fields = [...common, 'content-range', `bytes */${size}`, ...NO_BODY];
      response.writeHead(416, fields).end();
    } else if (!(body instanceof Uint8Array)) {
      return this.#download(exchange, whole, body, wanted);
    } else if (!isSeveral(wanted)) {
      begin(response, whole, wanted);
      return this.#sendBytes(response, sliceOf(body, wanted));
    }
  }

  /** Sends bytes from memory. A client that does not read them holds them only until the deadline. */
  #sendBytes(response: ServerResponse, bytes: Uint8Array): void | Promise<void> {
    response.end(bytes);
    // Also false while an earlier pipelined response is unfinished.
    if (!response.writableFinished) return finished(response, this.#pace());
  }

  async #download(
    { response, peerAddress: address }: Exchange,
    whole: Representation,
    file: OpenFile,
    wanted: Exclude<Ranges, 'unsatisfiable'>,
  ): Promise<void> {
    if (!this.#hasRoom(address)) {
      response.writeHead(503, [...whole.common, 'retry-after', '1', ...NO_BODY]).end();
      return;
    }
    const given = this.#pace();
    const now = () => given.clock.now();
    const download: Download = { address, cut: () => response.destroy(), movedAt: now() };
    const moved = () => {
      download.movedAt = now();
    };
    this.#running.add(download);
    try {
      const pace = { ...given, moved };
      if (isSeveral(wanted)) await sendSeveral(response, whole, { file, slices: wanted, pace });
      else {
        begin(response, whole, wanted);
        const range = wanted === 'whole' ? { from: 0, to: whole.size } : wanted;
        if (range.to > range.from) await sendFile(response, file, range, pace);
      }
      response.end();
      await finished(response, pace);
    } finally {
      this.#running.delete(download);
    }
  }

  /** Room for one more download of this address; clients that take nothing give theirs. */
  #hasRoom(address: string): boolean {
    const most = this.#options.maxDownloads();
    const ofAddress = [...this.#running].filter((each) => each.address === address);
    const mostOfAddress = Math.max(ADDRESS_LEAST, most * ADDRESS_PART);
    if (ofAddress.length >= mostOfAddress && !this.#cutOne(ofAddress)) return false;
    return this.#running.size < most || this.#cutOne([...this.#running]);
  }

  /** Cuts the one whose client has taken nothing for longest. @returns false: all of them move */
  #cutOne(downloads: readonly Download[]): boolean {
    const slowest = downloads.reduce((a, b) => (b.movedAt < a.movedAt ? b : a));
    if (this.#options.clock.now() - slowest.movedAt < STUCK_MS) return false;
    this.#running.delete(slowest);
    slowest.cut();
    return true;
  }
}

type Ranges = Wanted | readonly Slice[];

const isSeveral = (wanted: Ranges): wanted is readonly Slice[] => Array.isArray(wanted);

/** The ranges of a GET. The whole is sent when there are none or `If-Range` does not hold. */
function rangesOf(headers: IncomingHttpHeaders, whole: Representation): Ranges {
  const { range } = headers;
  if (range === undefined) return 'whole';
  const ifRange = headers['if-range'] as string | undefined;
  if (!ifRangeHolds(ifRange, whole)) return 'whole';
  const mayBeSeveral = whole.multipart === true && !(whole.body instanceof Uint8Array);
  return mayBeSeveral ? parseRanges(range, whole.size) : parseRange(range, whole.size);
}

async function sendSeveral(
  response: ServerResponse,
  whole: Representation,
  { file, slices, pace }: { file: OpenFile; slices: readonly Slice[]; pace: Pace },
): Promise<void> {
  const parts = multipartOf(whole);
  response.writeHead(206, [...parts.headers]);
  for (const slice of slices) {
    await written(response, Buffer.from(parts.head(slice)), pace);
    await sendFile(response, file, slice, pace);
  }
  await written(response, Buffer.from(parts.end), pace);
}

function answerCondition(
  response: ServerResponse,
  verdict: 'not modified' | 'failed',
  { common }: Representation,
): void {
  if (verdict === 'not modified') response.writeHead(304, [...common]).end();
  else response.writeHead(412, [...common, ...NO_BODY]).end();
}

function head(response: ServerResponse, { common, entity, size }: Representation): void {
  response.writeHead(200, [...common, ...entity, 'content-length', String(size)]).end();
}

function begin(
  response: ServerResponse,
  { common, entity, size }: Representation,
  wanted: Exclude<Wanted, 'unsatisfiable'>,
): void {
  if (wanted === 'whole') {
    response.writeHead(200, [...common, ...entity, 'content-length', String(size)]);
    return;
  }
  const { from, to } = wanted;
  const range = ['content-range', `bytes ${from}-${to - 1}/${size}`];
  const length = ['content-length', String(to - from)];
  response.writeHead(206, [...common, ...entity, ...range, ...length]);
}

const sliceOf = (body: Uint8Array, wanted: Exclude<Wanted, 'unsatisfiable'>): Uint8Array =>
  wanted === 'whole' ? body : body.subarray(wanted.from, wanted.to);
