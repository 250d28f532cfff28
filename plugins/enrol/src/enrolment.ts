import { randomUUID } from 'node:crypto';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Audit } from '@svc/plugin-audit/api';
import { type Kernel, RpcError } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { Owners, Tokens } from '@svc/plugin-token/api';
import { hashOf, isCode } from './code.ts';
import { BATCH, type Machine, type Pending, type PendingMachines } from './pending.ts';
import { limitsOf } from './rights.ts';
import { type Code, KEPT_MS, type Store } from './store.ts';

/** Time for which reports are refused that were on their way when a machine lost its place. */
const LATE_MS = 600_000;
const MOST_CALLED = 20_000;
/** Times of the server itself. */
const FOR_EVER = { timestamp_from: null, timestamp_to: null };

/** Machine that was enrolled, with its credential. */
export interface Enrolled {
  readonly uuid: string;
  /** `key:secret`; it is stored nowhere in clear. */
  readonly token: string;
}

/**
 * Reason why a code is refused. `held`: machines that came with it a moment ago may be on their way. `ended`: it is used up,
 * revoked or expired, and the caller who has it is not guessing.
 */
export type Refused = 'unknown' | 'ended' | 'held';

/** Exchange of a code for a token of one machine. Its UUID is chosen here: a code may take over no machine that is there already. */
export class Enrolment {
  readonly #kernel: Kernel<unknown>;
  readonly #store: Store;
  readonly #pending: PendingMachines;
  /** Keys of tokens by which calls were accepted: looked up once, not at every report. */
  readonly #called = new BoundedCache<string, true>({ most: MOST_CALLED });

  constructor(kernel: Kernel<unknown>, store: Store, pending: PendingMachines) {
    this.#kernel = kernel;
    this.#store = store;
    this.#pending = pending;
  }

  /** Returns the reason why the code would be refused; undefined: it would be accepted. */
  async refusal(code: string): Promise<Refused | undefined> {
    const found = await this.#lookup(code);
    if (typeof found === 'string') return found;
    return (await this.#hasEnded(found)) ? 'ended' : this.#refusalOfUsed(found);
  }

  /** @throws RpcError 102, 103, 108 of `token_create` */
  async exchange(code: string, address: string): Promise<Enrolled | Refused> {
    const found = await this.#lookup(code);
    if (typeof found === 'string') return found;
    const early = await this.#refusalOfUsed(found);
    if (early) return early;
    const uuid = randomUUID();
    // Before a place is taken: where its maker may make no token any more, the machine in that place stays.
    const token = await this.#createToken(uuid, found);
    const [token_key = ''] = token.split(':');
    const late = await this.#takeFor({ agent: uuid, token_key }, found);
    if (late) return late;
    await this.#came(found, uuid, address);
    return { uuid, token };
  }

  async #lookup(code: string): Promise<Code | Refused> {
    const { brand, clock } = this.#kernel;
    const found = isCode(code) && (await this.#store.byHash(hashOf(brand.salt, code)));
    if (!found) return 'unknown';
    const holds = found.revoked_at === null && Number(found.expires_at) > clock.now();
    return holds ? found : 'ended';
  }

  async #refusalOfUsed({ id, used, uses }: Code): Promise<Refused | undefined> {
    if (used < uses) return undefined;
    const state = await this.#pending.state(id);
    return { free: undefined, held: 'held', none: 'ended' }[state] as Refused | undefined;
  }

  /** Takes a place for a machine; what was made for one that gets none is removed. */
  async #takeFor(machine: Machine, code: Code): Promise<Refused | undefined> {
    try {
      const why = await this.#takeUse(machine, code);
      if (why) await this.#forget(machine);
      return why;
    } catch (error) {
      await this.#forget(machine);
      throw error;
    }
  }

  /** Takes a use of the code for this machine: a new one, else that of a machine that has not reported. */
  async #takeUse(machine: Machine, code: Code): Promise<Refused | undefined> {
    const { clock, log } = this.#kernel;
    const { id, uses } = code;
    const isTaken = await this.#store.takeUse(id, clock.now(), (on) =>
      this.#pending.add(on, id, machine),
    );
    if (isTaken) return undefined;
    const used = { ...code, used: uses };
    const why = await this.#refusalOfUsed(used);
    if (why) return why;
    const before = await this.#pending.takeOver(id, machine);
    // Others were faster: what they came with is held now, or their machines have reported.
    if (!before) return (await this.#refusalOfUsed(used)) ?? 'held';
    const { agent } = before;
    log.info('an enrolled machine has not connected: its place goes to another', { agent });
    await this.#forget(before);
    return undefined;
  }

  async #came({ id, ...code }: Code, uuid: string, address: string): Promise<void> {
    const { clock, log } = this.#kernel;
    await this.#store.came(id, uuid, clock.now());
    await this.#openNamespace(uuid, code);
    this.#kernel.useOptional(Audit)?.record({
      method: 'enrol exchange',
      target: `code ${id}: ${uuid}`,
      origin: { address, transport: 'http' },
    });
    log.info('machine enrolled', { code: id, agent: uuid, address });
  }

  /** Records that a call by the token with this key was accepted: whatever it was, its machine has connected. */
  async called(token_key: string): Promise<void> {
    if (!this.#pending.areKept || this.#called.has(token_key)) return;
    this.#called.set(token_key, true);
    if (!(await this.#noted(token_key))) this.#called.delete(token_key);
  }

  /** Records that a machine has registered for tasks, perhaps by another token, of which the registry of agents does not hear. */
  async connected(uuid: string): Promise<void> {
    const { useOptional } = this.#kernel;
    if (!this.#pending.areKept || useOptional(AgentRegistry)?.known(uuid)) return;
    await this.#noted(uuid);
  }

  /** @returns false: the database failed */
  async #noted(name: string): Promise<boolean> {
    try {
      await this.#pending.remove(name);
      return true;
    } catch (error) {
      const { log } = this.#kernel;
      log.warn('that an enrolled machine has come could not be noted', { agent: name, error });
      return false;
    }
  }

  /** Removes token and namespace of machines that never connected once their code is gone, and what a failure left. */
  async sweep(): Promise<void> {
    const now = this.#kernel.clock.now();
    let given: readonly Pending[];
    do {
      given = await this.#pending.giveUp(now - KEPT_MS);
      for (const machine of given) await this.#delete(machine);
    } while (given.length === BATCH);
    for (const machine of await this.#pending.givenBefore(now - LATE_MS)) {
      await this.#delete(machine);
      await this.#pending.forget(machine.agent);
    }
  }

  /** Removes the token and the namespace of a machine that has lost its place. `sweep` repeats what fails now. */
  async #forget(machine: Machine): Promise<void> {
    await this.#delete(machine).catch((error) => {
      const { agent } = machine;
      this.#kernel.log.warn('what a machine left behind was not deleted yet', { agent, error });
    });
  }

  async #delete({ agent, token_key }: Machine): Promise<void> {
    const { call, methods, system } = this.#kernel;
    if (token_key)
      await call('token_delete', { target_token: token_key }, system).catch(unlessGone);
    if (methods.has('kv_delete_namespace'))
      await call('kv_delete_namespace', { namespace: agent }, system).catch(unlessGone);
  }

  /** Tells whether the token of a code has ended. Its last rights stay with jobs, but no one joins a fleet by them. */
  async #hasEnded({ owner }: Code): Promise<boolean> {
    return /^(?:expired|deleted)$/.test(await this.#kernel.use(Owners).state(owner));
  }

  /** Creates a token with the rights that the maker of the code has now, and no longer than the maker's: one that never ends would be refused to a maker that does. */
  async #createToken(uuid: string, code: Code): Promise<string> {
    const { system } = this.#kernel;
    const { owner } = code;
    const hasEnded = await this.#hasEnded(code);
    const caller = owner === null ? system : await this.#kernel.use(Owners).principal(owner);
    if (!caller || hasEnded) throw RpcError.denied('the token that made the code has ended');
    const { timestamp_from, timestamp_to } = this.#kernel.use(Tokens).record(caller) ?? FOR_EVER;
    const token_creation = { token_limit: limitsOf(uuid), timestamp_from, timestamp_to };
    const made = await this.#kernel.call('token_create', { token_creation }, caller);
    const { key, secret } = made as { key: string; secret: string };
    return `${key}:${secret}`;
  }

  /** Opens the namespace for the documents of the agent, in which dashboards keep names. A machine without it is better than none. */
  async #openNamespace(uuid: string, { name, tags }: Pick<Code, 'name' | 'tags'>): Promise<void> {
    const { call, log, methods, system } = this.#kernel;
    if (!methods.has('kv_create')) return;
    try {
      await call('kv_create', { namespace: uuid }, system);
      const set = (key: string, value: unknown) =>
        call('kv_set_value', { namespace: uuid, key, value }, system);
      if (name !== null) await set('metadata_name', name);
      if (tags.length > 0) await set('metadata_tags', tags);
    } catch (error) {
      log.warn('an enrolled machine got no namespace', { agent: uuid, error });
    }
  }
}

/** Ignores that another caller deleted it before: such a refusal has no cause, a failure has one. The code does not help: an unknown namespace is 103. */
function unlessGone(error: unknown): void {
  if (!(error instanceof RpcError) || error.cause !== undefined) throw error;
}
