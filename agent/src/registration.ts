import type { Channel } from './channel.ts';
import type { Clock } from './clock.ts';
import type { ServerConfig } from './config.ts';
import { type Refusal, registration } from './handshake.ts';
import type { Logger } from './log.ts';
import { registrationWait } from './waits.ts';

export interface RegistrationOptions {
  readonly server: ServerConfig;
  readonly agent_uuid: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** The id of each registration after the first one of a connection, so that its answer is known; reports have 1 to 33. */
export const REGISTRATION_ID = 1000;
/** Time after which a lasting refusal is logged again. */
const LOG_AGAIN_MS = 3_600_000;

const ADVICE: { readonly [code: string]: string } = {
  '102': 'the token needs {"task":"listen"} in the scope of this agent',
  '-32601': 'this server has no tasks: allow_task = false ends the asking',
};

/** Maintains one server's registration for tasks. Where it is refused or not answered, everything else continues, and it is tried again after longer waits. */
export class TaskRegistration {
  readonly #options: RegistrationOptions;
  /** Failed registrations in a row; one that was sent and has no answer yet is among them. */
  #failures = 0;
  #isAwaited = false;
  #logged_at = Number.NEGATIVE_INFINITY;
  #arm = () => {};

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** Registers again and again on a connection. `first` is the refusal of its first registration. Returns a function that ends it. */
  maintain(channel: Channel, first: Refusal | undefined): () => void {
    const { server, agent_uuid, clock, random } = this.#options;
    const text = registration(server, agent_uuid, REGISTRATION_ID);
    let cancel = () => {};
    const again = () => {
      if (this.#isAwaited) this.#logRefusal({ message: 'no answer to the registration' });
      this.#isAwaited = true;
      this.#failures += 1;
      channel.send(text);
      this.#arm();
    };
    this.#arm = () => {
      cancel();
      cancel = clock.after('register', registrationWait(this.#failures, random), again);
    };
    if (first) this.#failures += 1;
    this.answered(first);
    return () => {
      cancel();
      this.#arm = () => {};
    };
  }

  /** Handles the answer to a registration; undefined: it succeeded. */
  answered(refusal: Refusal | undefined): void {
    this.#isAwaited = false;
    if (refusal) this.#logRefusal(refusal);
    else this.#succeeded();
    this.#arm();
  }

  #succeeded(): void {
    this.#failures = 0;
    if (this.#logged_at === Number.NEGATIVE_INFINITY) return;
    this.#logged_at = Number.NEGATIVE_INFINITY;
    this.#options.log.info('registered for tasks');
  }

  #logRefusal({ code, message }: Refusal): void {
    const { clock, log } = this.#options;
    if (clock.steady() - this.#logged_at < LOG_AGAIN_MS) return;
    this.#logged_at = clock.steady();
    const advice = ADVICE[String(code)];
    const facts = { reason: message, ...(advice && { advice }) };
    log.warn('no tasks come: the registration was refused; reports go on', facts);
  }
}
