import { randomUUID } from 'node:crypto';
import { Audit } from '@svc/plugin-audit/api';
import { type Kernel, RpcError } from '@svc/plugin-sdk';
import { Owners } from '@svc/plugin-token/api';
import { hashOf, isCode } from './code.ts';
import { limitsOf } from './rights.ts';
import type { Code, Store } from './store.ts';

/** A machine that came, and what it is known by. */
export interface Enrolled {
  readonly uuid: string;
  /** `key:secret`; it is stored nowhere in clear. */
  readonly token: string;
}

/** From a code to a token of one machine. Its UUID is chosen here: a code may take over no machine that is there already. */
export class Enrolment {
  readonly #kernel: Kernel<unknown>;
  readonly #store: Store;

  constructor(kernel: Kernel<unknown>, store: Store) {
    this.#kernel = kernel;
    this.#store = store;
  }

  /** True while the code would be taken. */
  async isOpen(code: string): Promise<boolean> {
    const { brand, clock } = this.#kernel;
    return isCode(code) && this.#store.isOpen(hashOf(brand.salt, code), clock.now());
  }

  /** @returns undefined: no such code, or it is used, expired or revoked. @throws RpcError 102, 103, 108 of `token_create` */
  async exchange(code: string, address: string): Promise<Enrolled | undefined> {
    const { brand, clock, log } = this.#kernel;
    const taken = isCode(code)
      ? await this.#store.take(hashOf(brand.salt, code), clock.now())
      : undefined;
    if (!taken) return undefined;
    const uuid = randomUUID();
    const token = await this.#createToken(uuid, taken);
    await this.#store.came(taken.id, uuid, clock.now());
    await this.#openNamespace(uuid, taken);
    const target = `code ${taken.id}: ${uuid}`;
    this.#kernel
      .useOptional(Audit)
      ?.record({ method: 'enrol exchange', target, origin: { address, transport: 'http' } });
    log.info('machine enrolled', { code: taken.id, agent: uuid, address });
    return { uuid, token };
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
