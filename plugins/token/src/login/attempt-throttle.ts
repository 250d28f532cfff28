import { createHmac, randomBytes } from 'node:crypto';
import { countedAs, Refusals } from '@svc/plugin-admission/api';
import { Audit } from '@svc/plugin-audit/api';
import type { Kernel } from '@svc/plugin-sdk';
import { FailureCounts } from './failure-counts.ts';

/** Wrong secrets of one network that cost nothing, as for passwords of accounts. */
const FREE = 30;
const CELLS = 16_384;

/** Words for wrong secrets of one kind. */
export interface AttemptWords {
  /** Reason under which they are counted: `wrong enrolment code`. */
  readonly refusal: string;
  /** Message of the log: `enrolment refused`. */
  readonly message: string;
}

/** Slows down an address that tries one-time secrets; each wrong one counts as a failed login for log and audit. */
export class AttemptThrottle {
  readonly #kernel: Kernel<unknown>;
  readonly #words: AttemptWords;
  readonly #counts = new FailureCounts({ free: FREE, cells: CELLS });
  readonly #key = randomBytes(32);

  /** The plugin of this kernel lists the services `Audit` and `Refusals` as optional. */
  constructor(kernel: Kernel<unknown>, words: AttemptWords) {
    this.#kernel = kernel;
    this.#words = words;
  }

  /** Tells whether the address has to wait some seconds before it may try again. */
  isClosed(address: string): boolean {
    return this.#counts.isClosed(this.#keyOf(address), this.#kernel.clock.monotonic());
  }

  failed(address: string): void {
    const { clock, log, useOptional } = this.#kernel;
    this.#counts.add(this.#keyOf(address), clock.monotonic());
    useOptional(Audit)?.refused(undefined, { address, transport: 'http' });
    const { refusal, message } = this.#words;
    const isFirst = useOptional(Refusals)?.refused(refusal, address) ?? true;
    if (isFirst) log.info(message, { address });
  }

  #keyOf(address: string): string {
    return createHmac('sha256', this.#key).update(countedAs(address)).digest('hex');
  }
}
