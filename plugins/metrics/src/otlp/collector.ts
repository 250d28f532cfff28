import { Egress, type EgressClient } from '@svc/plugin-egress/api';
import { type Kernel, UserError } from '@svc/plugin-sdk';
import { hideSecret, Throttle } from '@svc/plugin-sdk/util';
import type { OtlpSettings } from './settings.ts';

const SEND_MS = 10_000;
const ANSWER_BYTES = 65_536;

/** The collector at the other end. What it does not take is lost, and the log says so once a minute. */
export class Collector {
  readonly #kernel: Pick<Kernel, 'log'>;
  readonly #base: string;
  readonly #headers: readonly (readonly [string, string])[];
  readonly #client: EgressClient;
  readonly #end = new AbortController();
  readonly #warnings: Throttle;

  /** @throws UserError without the plugin that sends requests */
  constructor(kernel: Kernel<unknown>, settings: OtlpSettings) {
    const url = new URL(settings.otlp_url ?? '');
    const egress = kernel.useOptional(Egress);
    if (!egress) throw new UserError("[metrics] otlp_url: add 'egress' to the list of plugins");
    this.#kernel = kernel;
    this.#warnings = new Throttle(kernel.clock);
    this.#base = url.href.replace(/\/$/, '');
    this.#client = egress.open({
      // The operator names the collector, so it may be a private address; nothing else is reached, redirects included.
      allow: [`${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`],
      key: '[metrics] otlp_url',
      connect_ms: SEND_MS,
      idle_ms: SEND_MS,
      max_bytes: ANSWER_BYTES,
    });
    const type = settings.otlp_encoding === 'json' ? 'application/json' : 'application/x-protobuf';
    this.#headers = [['content-type', type], ...settings.otlp_headers.map(pairOf)];
  }

  /** @throws Error when it was not taken within ten seconds */
  async send(path: '/v1/metrics' | '/v1/traces', body: Uint8Array): Promise<void> {
    try {
      const { status, body: answer } = await this.#client.request({
        url: this.#base + path,
        method: 'POST',
        headers: this.#headers,
        redirect: 'error',
        body,
        signal: AbortSignal.any([AbortSignal.timeout(SEND_MS), this.#end.signal]),
      });
      for await (const _chunk of answer);
      if (status >= 300) throw new Error(`the collector answers ${status}`);
    } catch (error) {
      this.#failed(path, error);
      throw error;
    }
  }

  /** Ends what is on its way. */
  close(): void {
    this.#end.abort(new Error('the server stops'));
  }

  #failed(path: string, error: unknown): void {
    const suppressed = this.#warnings.pass();
    if (suppressed === undefined) return;
    this.#kernel.log.warn('metrics could not be sent', {
      url: hideSecret(this.#base, '***') + path,
      failures: suppressed + 1,
      error,
    });
  }
}

function pairOf(header: string): readonly [string, string] {
  const colon = header.indexOf(':');
  return [header.slice(0, colon), header.slice(colon + 1).trim()];
}
