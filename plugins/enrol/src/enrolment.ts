import { randomUUID } from 'node:crypto';
import { Audit } from '@svc/plugin-audit/api';
import { type Kernel, RpcError } from '@svc/plugin-sdk';
import { Owners } from '@svc/plugin-token/api';
import { hashOf, isCode } from './code.ts';
import type { Pending, PendingMachines } from './pending.ts';
import { limitsOf } from './rights.ts';
import type { Code, Store } from './store.ts';

/** A machine that came, and what it is known by. */
export interface Enrolled {
  readonly uuid: string;
  /** `key:secret`; it is stored nowhere in clear. */
  readonly token: string;
}

/** Why a code is not taken. `held`: the machine that came with it a moment ago may be on its way. */
export type Refused = 'unknown' | 'held';

/** From a code to a token of one machine. Its UUID is chosen here: a code may take over no machine that is there already. */
export class Enrolment {
  readonly #kernel: Kernel<unknown>;
  readonly #store: Store;
  readonly #pending: PendingMachines;

  constructor(kernel: Kernel<unknown>, store: Store, pending: PendingMachines) {
    this.#kernel = kernel;
    this.#store = store;
    this.#pending = pending;
  }

  /** Why the code would not be taken; undefined: it would. */
  async refusal(code: string): Promise<Refused | undefined> {
    const known = await this.#valid(code);
    if (!known) return 'unknown';
    if (known.used < known.uses) return undefined;
    const pending = await this.#pending.of(known.id);
    return pending === 'held' ? 'held' : pending ? undefined : 'unknown';
  }

  /** @throws RpcError 102, 103, 108 of `token_create` */
  async exchange(code: string, address: string): Promise<Enrolled | Refused> {
    const { clock, log, methods } = this.#kernel;
    const taken = (await this.#take(code)) ?? (await this.#takeOver(code));
    if (typeof taken === 'string') return taken;
    const uuid = randomUUID();
    const token = await this.#createToken(uuid, taken);
    const came_at = clock.now();
    await this.#store.came(taken.id, uuid, came_at);
    const [token_key = ''] = token.split(':');
    // Without reports nobody knows whether a machine has connected.
    if (methods.has('agent_report_dynamic_summary'))
      await this.#pending.add(taken.id, { agent: uuid, token_key, came_at });
    await this.#openNamespace(uuid, taken);
    const target = `code ${taken.id}: ${uuid}`;
    this.#kernel
      .useOptional(Audit)
      ?.record({ method: 'enrol exchange', target, origin: { address, transport: 'http' } });
    log.info('machine enrolled', { code: taken.id, agent: uuid, address });
    return { uuid, token };
  }

  async #valid(code: string): Promise<Code | undefined> {
    const { brand, clock } = this.#kernel;
    return isCode(code) ? this.#store.valid(hashOf(brand.salt, code), clock.now()) : undefined;
  }

  async #take(code: string): Promise<Code | undefined> {
    const { brand, clock } = this.#kernel;
    return isCode(code) ? this.#store.take(hashOf(brand.salt, code), clock.now()) : undefined;
  }

  /** The use of a machine that came and never connected: its token goes. */
  async #takeOver(code: string): Promise<Code | Refused> {
    const known = await this.#valid(code);
    const pending = known && (await this.#pending.of(known.id));
    if (pending === 'held') return 'held';
    if (!known || !pending || !(await this.#pending.remove(pending.agent))) return 'unknown';
    await this.#forget(pending);
    return known;
  }

  async #forget({ agent, token_key }: Pending): Promise<void> {
    const { call, log, methods, system } = this.#kernel;
    log.info('an enrolled machine never connected: its code is good again', { agent });
    try {
      await call('token_delete', { target_token: token_key }, system);
      if (methods.has('kv_delete_namespace'))
        await call('kv_delete_namespace', { namespace: agent }, system);
    } catch (error) {
      // Somebody has deleted them before.
      log.debug('what a machine left behind was not deleted', { agent, error });
    }
  }

  /** With the rights that the maker of the code has now. */
  async #createToken(uuid: string, { id, owner }: Code): Promise<string> {
    const { system } = this.#kernel;
    const caller = owner === null ? system : this.#kernel.use(Owners).principal(owner);
    try {
      if (!caller) throw RpcError.denied('the token that made the code is suspended');
      const params = { token_creation: { token_limit: limitsOf(uuid) } };
      const made = await this.#kernel.call('token_create', params, caller);
      const { key, secret } = made as { key: string; secret: string };
      return `${key}:${secret}`;
    } catch (error) {
      await this.#store.giveBack(id);
      throw error;
    }
  }

  /** For the documents of the agent, and where dashboards keep names. A machine without it is better than none. */
  async #openNamespace(uuid: string, { name, tags }: Code): Promise<void> {
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
