import type { ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Logger } from '@svc/plugin-sdk';
import { conditionsOf, type Exchange, etagOf } from '@svc/plugin-sdk/http';
import { codeOf } from '@svc/plugin-sdk/util';
import sirv, { type RequestHandler } from 'sirv';

const FOLDER = 'assets';
/** Names that the build gives: at most one folder below, no dot in front. */
const NAME = /^(?:assets\/)?[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const YEAR = 'public, max-age=31536000, immutable';
/** Time after which a client that reads nothing holds no file open. */
const STALL_MS = 60_000;
const CODINGS = ['br', 'gzip'] as const;

/**
 * The files that the build has made, sent by sirv. Those under `assets/` carry a digest in their name. sirv reads the
 * folder once, so that another one takes its place where the folder was replaced.
 */
export class Assets {
  readonly #folder: string;
  readonly #log: Logger;
  #listed: { readonly state: string; readonly send: RequestHandler } | undefined;

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Answers with the file of this name. @returns false where there is none */
  async answer({ request, response }: Exchange, name: string): Promise<boolean> {
    if (!NAME.test(name)) return false;
    const state = await stateOf(this.#folder);
    if (state === undefined) return false;
    if (this.#listed?.state !== state) this.#listed = { state, send: list(this.#folder) };
    this.#guard(response, name);
    let isSent = true;
    try {
      this.#listed.send(sirvRequest(request, name), response, () => {
        isSent = false;
      });
    } catch (error) {
      if (!(error instanceof Answered)) throw error;
      response.writeHead(error.status).end();
    }
    return isSent;
  }

  /**
   * Handles events that sirv does not listen to: a file that vanishes would end the process, and one that no client reads
   * would stay open.
   */
  #guard(response: ServerResponse, name: string): void {
    response.once('pipe', (stream: ReadStream) => {
      const fail = (error: unknown) => {
        this.#log.debug('dashboard file could not be sent', { name, error });
        response.destroy();
      };
      const length = Number(response.getHeader('content-length'));
      stream.on('error', fail);
      stream.on('end', () => stream.bytesRead === length || fail(new Error('it has changed')));
      response.once('close', () => stream.destroy());
      response.setTimeout(STALL_MS, () => response.destroy());
    });
  }
}

/** Changes with every file that comes or goes. */
async function stateOf(folder: string): Promise<string | undefined> {
  try {
    const both = await Promise.all([stat(folder), stat(join(folder, FOLDER))]);
    return both.map(({ dev, ino, mtimeMs }) => `${dev} ${ino} ${mtimeMs}`).join(' ');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Ends an answer before sirv sends the file: the headers stay. sirv knows one tag alone, and sends its 304 without headers. */
class Answered extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`answered with ${status}`);
    this.status = status;
  }
}

const list = (folder: string): RequestHandler =>
  sirv(folder, {
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders(response, path, stats) {
      const etag = etagOf(stats);
      response.setHeader('Cache-Control', path.startsWith(`/${FOLDER}/`) ? YEAR : 'no-cache');
      response.setHeader('ETag', etag);
      const verdict = conditionsOf(response.req.headers, { etag, mtime_ms: stats.mtimeMs });
      if (verdict !== 'go on') throw new Answered(verdict === 'not modified' ? 304 : 412);
    },
  });

/**
 * Request for sirv, without the headers that it reads wrongly: it takes a bad range for a good one, and `br;q=0` for a
 * wish.
 */
function sirvRequest({ headers, method }: IncomingMessage, name: string): IncomingMessage {
  const accepted = String(headers['accept-encoding'] ?? '');
  const coding = CODINGS.filter((one) => accepts(accepted, one)).join();
  return { method, url: `/${name}`, headers: { 'accept-encoding': coding } } as never;
}

const accepts = (accepted: string, coding: string) =>
  accepted
    .split(',')
    .some((part) =>
      new RegExp(`^\\s*${coding}\\s*(?:;(?!\\s*q=0(?:\\.0*)?\\s*$)|$)`, 'i').test(part),
    );
