import type { Clock } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { Refusal } from './answers.ts';

export interface UploadOptions {
  readonly clock: Clock;
  readonly stall_ms: () => number;
  readonly max: () => number;
}

/** Error for a client that sent nothing for too long. */
class Stalled extends Error {
  override readonly name = 'Stalled';
}

/** The uploads in progress. */
export class Uploads {
  readonly #options: UploadOptions;
  #running = 0;

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  /**
   * Runs `store` with the chunks of the body; each is read when the one before is stored. @throws Refusal 503 when too
   * many uploads run, 400 when the body has another length than announced
   */
  async receive<T>(
    exchange: Exchange,
    store: (body: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    const { clock, stall_ms, max } = this.#options;
    if (this.#running >= max()) throw new Refusal({ status: 503, headers: { 'retry-after': '1' } });
    this.#running++;
    const seen = { bytes: 0 };
    let before = -1;
    const cancel = clock.interval(() => {
      if (seen.bytes === before) exchange.request.destroy(new Stalled('nothing came'));
      before = seen.bytes;
    }, stall_ms());
    try {
      return await store(chunksOf(exchange, seen));
    } finally {
      cancel();
      this.#running--;
    }
  }
}

async function* chunksOf(
  { request }: Exchange,
  seen: { bytes: number },
): AsyncGenerator<Uint8Array, void> {
  // The connection stays open when storing fails: the answer is sent over it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    seen.bytes += chunk.length;
    yield chunk;
  }
  const expected = lengthOf(request.headers);
  if (expected !== undefined && seen.bytes !== expected) throw new Refusal(400);
}

/** The announced length of the body. macOS sends the second header with a chunked body. */
export function lengthOf(headers: Exchange['request']['headers']): number | undefined {
  const field = headers['content-length'] ?? headers['x-expected-entity-length'];
  return typeof field === 'string' && /^\d{1,15}$/.test(field) ? Number(field) : undefined;
}
