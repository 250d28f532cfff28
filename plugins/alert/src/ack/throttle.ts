import { createHmac, randomBytes } from 'node:crypto';
import { countedAs, Refusals } from '@svc/plugin-admission/api';
import { Audit } from '@svc/plugin-audit/api';
import type { Kernel } from '@svc/plugin-sdk';
import { FailureCounts } from '@svc/plugin-token/api';

/** Wrong keys of one network that cost nothing, as for passwords of accounts. */
const FREE = 30;
const CELLS = 16_384;

/** Slows down an address that tries keys; each wrong one counts as a failed login for log and audit. */
export class AckThrottle {
  readonly #kernel: Kernel<unknown>;
  readonly #counts = new FailureCounts({ free: FREE, cells: CELLS });
  readonly #key = randomBytes(32);

  constructor(kernel: Kernel<unknown>) {
    this.#kernel = kernel;
  }

  /** Tells whether the address has to wait some seconds before it may try again. */
  isClosed(address: string): boolean {
    return this.#counts.isClosed(this.#keyOf(address), this.#kernel.clock.monotonic());
  }

  failed(address: string): void {
    const { clock, log } = this.#kernel;
    this.#counts.add(this.#keyOf(address), clock.monotonic());
    this.#kernel.useOptional(Audit)?.refused(undefined, { address, transport: 'http' });
    const refusals = this.#kernel.useOptional(Refusals);
    const isFirst = refusals?.refused('wrong key of an acknowledge link', address) ?? true;
    if (isFirst) log.info('acknowledge link refused', { address });
  }

  #keyOf(address: string): string {
    return createHmac('sha256', this.#key).update(countedAs(address)).digest('hex');
  }
}
