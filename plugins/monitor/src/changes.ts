import { isDeepStrictEqual } from 'node:util';
import type { Secrets, Values } from '@svc/plugin-notify/api';
import { type Clock, type Principal, RpcError, type Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Placing } from './agents/index.ts';
import type { Config } from './config.ts';
import { secretPlace } from './engine/checked.ts';
import type { Registries } from './engine/registries.ts';
import { checkSpec, filledIn } from './fields.ts';
import { type Heartbeats, hashOf, KEY_FIELD, keyOf, newKey } from './heartbeat/index.ts';
import type { Names } from './names.ts';
import { mayDo } from './permissions.ts';
import type { MonitorChange, NewMonitor } from './schemas.ts';
import { checkSettings, settingsOf } from './settings.ts';
import { domainOf, targetPlace } from './spec.ts';
import type { CertificateStore } from './store/certificates.ts';
import type { MonitorStore } from './store/monitors.ts';
import type { Kind, Monitor } from './types.ts';

/** Several callers may change one monitor at the same time. */
const ATTEMPTS = 5;

export interface ChangesParts {
  readonly clock: Clock;
  readonly config: Config;
  readonly owners: Owners;
  readonly secrets: Secrets | undefined;
  readonly names: Names;
  readonly placing: Pick<Placing, 'demand'>;
  readonly registries: Pick<Registries, 'demand'>;
  readonly monitors: MonitorStore;
  readonly certificates: CertificateStore;
  readonly heartbeats: Pick<Heartbeats, 'renew' | 'resume'>;
  /** Tells this server and the others. */
  readonly changed: () => void;
}

/** What a monitor brings that comes from another program. */
export interface Origin {
  readonly imported_from?: string | null;
  /** Key of a heartbeat, as its job has it already. */
  readonly key?: string | undefined;
}

type New = Static<typeof NewMonitor>;
type Change = Static<typeof MonitorChange>;

/** Changes that the methods make. Whoever wrote what a monitor sends owns it. */
export class Changes {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** @throws RpcError 103, 107 without a key, 108 */
  async create(
    given: New,
    caller: Principal,
    isDry = false,
    { imported_from = null, key: brought }: Origin = {},
  ): Promise<Monitor> {
    const { changed, monitors } = this.#parts;
    const { monitor, secret } = await this.check(given, caller);
    const { kind } = monitor;
    const key = kind === 'heartbeat' ? await this.#key(brought) : undefined;
    const whole = key === undefined ? secret : { [KEY_FIELD]: key };
    if (hasAny(whole)) await this.#demandKey();
    if (isDry) {
      await this.#demandName(monitor.name);
      return { ...monitor, secret: marks(secret) };
    }
    const made = await monitors.create(
      { ...monitor, secret: {}, imported_from },
      {
        ...(key !== undefined && { key_hash: hashOf(key) }),
        seal: (id) => this.#sealed({ id, kind }, whole),
      },
    );
    changed();
    return made;
  }

  /** Checks a monitor that is not stored. @throws RpcError 103, 108 */
  async check(
    given: New,
    caller: Principal,
  ): Promise<{ readonly monitor: Monitor; readonly secret: Values }> {
    const { clock, config, names, owners } = this.#parts;
    const { kind } = given;
    const settings = settingsOf(kind, given);
    checkSettings(kind, settings, config.min_interval_s);
    await this.#parts.placing.demand(settings.places, kind, caller);
    const secret = filledIn(given.secret ?? {});
    const spec = await this.#spec(kind, given.spec, secret, caller);
    const parent = given.parent ? await names.parent(given.parent, undefined, caller) : null;
    const now = clock.now();
    const monitor: Monitor = {
      ...{ id: 0, ...settings, kind, spec, secret: {}, parent, owner: owners.of(caller) },
      ...{ imported_from: null, version: 1, created_at: now, updated_at: now },
    };
    return { monitor, secret };
  }

  /** @returns the monitor, and the secret fields that were emptied because others could read them @throws RpcError 103, 105, 107, 108 */
  async update(
    name: string,
    change: Change,
    caller: Principal,
    isDry = false,
  ): Promise<{ readonly monitor: Monitor; readonly emptied: readonly string[] }> {
    const { certificates, changed, monitors } = this.#parts;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = await this.monitor(name);
      const { monitor, emptied, isMoved, key_hash } = await this.#merged(old, change, caller);
      if (isDry) {
        if (monitor.name !== name) await this.#demandName(monitor.name);
        return { monitor, emptied };
      }
      const made = await monitors.change(monitor, key_hash === undefined ? {} : { key_hash });
      if (!made) continue;
      await this.#wait(old, made);
      if (isMoved) await certificates.forget(made.id);
      changed();
      return { monitor: made, emptied };
    }
    throw busy();
  }

  /** Switches a monitor on or off; its owner stays. @throws RpcError 103, 105 */
  async setEnable(name: string, enable: boolean): Promise<Monitor> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = await this.monitor(name);
      if (old.enable === enable) return old;
      const made = await this.#parts.monitors.change({ ...old, enable });
      if (!made) continue;
      await this.#wait(old, made);
      this.#parts.changed();
      return made;
    }
    throw busy();
  }

  /** @throws RpcError 103, 105 */
  async remove(name: string): Promise<void> {
    const { id } = await this.monitor(name);
    if (!(await this.#parts.monitors.remove(id))) throw noMonitor(name);
    this.#parts.changed();
  }

  /** @throws RpcError 103, 105 */
  async monitor(name: string): Promise<Monitor> {
    const monitor = await this.#parts.monitors.byName(name);
    if (!monitor) throw noMonitor(name);
    return monitor;
  }

  async #merged(old: Monitor, change: Change, caller: Principal) {
    const { config, names, owners } = this.#parts;
    const settings = settingsOf(old.kind, change, old);
    checkSettings(old.kind, settings, config.min_interval_s);
    const { [KEY_FIELD]: sealedKey, ...others } = old.secret;
    const given = change.secret === null ? nulls(others) : (change.secret ?? {});
    const fresh = filledIn(given);
    const key = change.renew_key ? renewedKey(old) : undefined;
    const spec = change.spec
      ? await this.#spec(old.kind, change.spec, fresh, caller)
      : this.#checkedSecret(old, fresh);
    const isSent = change.secret !== undefined || isRewritten(old, { ...settings, spec });
    const isTaken = owners.of(caller) !== old.owner && (isSent || !(await this.#isOwned(old)));
    if (isSent || isTaken) await this.#parts.placing.demand(settings.places, old.kind, caller);
    const owner = isTaken ? owners.of(caller) : old.owner;
    const isMoved = targetPlace({ ...old, spec }) !== targetPlace(old);
    // Secrets are those of the owner: who takes a monitor over brings his own. The Super Token may read all.
    const isEmptied = isMoved || (isTaken && !caller.super);
    const kept = Object.entries(others).filter(([field]) => !Object.hasOwn(given, field));
    const sealed = key === undefined ? fresh : { [KEY_FIELD]: key };
    if (hasAny(sealed)) await this.#demandKey();
    const secret = {
      ...(sealedKey !== undefined && { [KEY_FIELD]: sealedKey }),
      ...(isEmptied ? {} : Object.fromEntries(kept)),
      ...this.#sealed(old, sealed),
    };
    const parent = change.parent
      ? await names.parent(change.parent, old.id, caller)
      : change.parent === null
        ? null
        : old.parent;
    const monitor = { ...old, ...settings, spec, secret, parent, owner };
    const key_hash = key === undefined ? undefined : hashOf(key);
    return { monitor, isMoved, key_hash, emptied: isEmptied ? kept.map(([field]) => field) : [] };
  }

  #isOwned({ name, owner }: Monitor): Promise<boolean> {
    return this.#parts.owners.may(owner, mayDo('write', name));
  }

  /** Returns the key of a new heartbeat: one that came with an import stays, so that its jobs go on. @throws RpcError 103, 108 */
  async #key(brought: string | undefined): Promise<string> {
    if (brought === undefined) return newKey();
    const key = keyOf(brought);
    if (key === undefined) throw RpcError.invalid('the key is none: leave it out');
    if (await this.#parts.monitors.byKeyHash(hashOf(key)))
      throw RpcError.invalid('another heartbeat has this key already: leave it out');
    return key;
  }

  /** Has a heartbeat wait anew that was switched on, or whose times are others now. */
  async #wait(old: Monitor, made: Monitor): Promise<void> {
    if (made.kind !== 'heartbeat' || !made.enable) return;
    const { heartbeats } = this.#parts;
    if (!old.enable) return heartbeats.renew(made.id);
    if (JSON.stringify(old.spec) !== JSON.stringify(made.spec)) await heartbeats.resume(made.id);
  }

  /** Returns the fields as they are stored. @throws RpcError 108 */
  async #spec(kind: Kind, given: Values, secret: Values, caller: Principal): Promise<Values> {
    const spec = filledIn(given);
    checkSpec(kind, spec, secret);
    if (kind === 'domain') await this.#parts.registries.demand(domainOf(spec));
    if (kind === 'heartbeat') return { grace_s: DEFAULT_GRACE_S, ...spec };
    if (kind !== 'group') return spec;
    const members = await this.#parts.names.members(spec['members'] as string[], caller);
    return { rule: 'worst', ...spec, members };
  }

  #checkedSecret({ kind, spec }: Monitor, fresh: Values): Values {
    if (hasAny(fresh)) checkSpec(kind, spec, fresh);
    return spec;
  }

  #sealed(of: Pick<Monitor, 'id' | 'kind'>, secret: Values): Monitor['secret'] {
    return hasAny(secret) ? (this.#parts.secrets?.seal(secretPlace(of), secret) ?? {}) : {};
  }

  async #demandKey(): Promise<void> {
    const { secrets } = this.#parts;
    if (!secrets)
      throw RpcError.invalid(
        'secret fields, and keys of heartbeats, need the plugin notify, which has their key: list notify under plugins, or leave them out',
      );
    await secrets.demand();
  }

  async #demandName(name: string): Promise<void> {
    if (await this.#parts.monitors.byName(name))
      throw RpcError.invalid(`there is a monitor '${name}' already: choose another name`);
  }
}

const DEFAULT_GRACE_S = 300;

type Sent = Pick<Monitor, 'spec' | 'places' | 'condition' | 'upside_down'>;

/** Tells whether a change is one of what is sent, from where, and of what is asked of the answer. */
const isRewritten = (old: Sent, next: Sent): boolean =>
  (['spec', 'places', 'condition', 'upside_down'] as const).some(
    (field) => !isDeepStrictEqual(old[field], next[field]),
  );

function renewedKey({ kind }: Monitor): string {
  if (kind !== 'heartbeat')
    throw RpcError.invalid(`renew_key: monitors of the kind ${kind} have no key`);
  return newKey();
}

export const noMonitor = (name: string) => RpcError.notFound(`there is no monitor '${name}'`);
const busy = () => RpcError.other('the monitor is being changed by others; try again');
const hasAny = (values: Values): boolean => Object.keys(values).length > 0;
const nulls = (values: Values): Record<string, null> =>
  Object.fromEntries(Object.keys(values).map((field) => [field, null]));
const marks = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map((field) => [field, '']));
