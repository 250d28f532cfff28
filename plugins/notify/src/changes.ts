import { type Clock, type Principal, RpcError, type Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { ChannelRow, Settings } from './channel.ts';
import type { Keys } from './keys.ts';
import { checkValues, KINDS, type Kind } from './kinds/index.ts';
import type { ChannelChange, NewChannel } from './schemas.ts';
import { type Sealed, seal, unseal, type Values } from './secrets.ts';
import type { ChannelStore, Waiting } from './store/channels.ts';

/** Several callers may change one channel at the same time. */
const ATTEMPTS = 5;

export interface ChangesParts {
  readonly clock: Clock;
  readonly owners: Owners;
  readonly keys: Keys;
  readonly channels: ChannelStore;
  /** Tells the other servers and plugins. */
  readonly changed: (name: string, failing: boolean) => void;
}

/** Changes that the methods make. The writer of a channel owns it. */
export class Changes {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** @throws RpcError 103, 107 without a key, 108 */
  async create(
    given: Static<typeof NewChannel>,
    caller: Principal,
    isDry = false,
  ): Promise<Waiting> {
    const { changed, channels, clock } = this.#parts;
    const { settings, secret } = this.check(given, caller);
    const key = hasAny(secret) ? await this.#key() : undefined;
    const { kind } = settings;
    const sealed = (id: number): Sealed => (key ? seal(key, { id, kind }, secret) : {});
    if (isDry) {
      await channels.demandName(settings.name);
      return unused(settings, sealed(0), clock.now());
    }
    await channels.insert(settings, clock.now(), sealed);
    changed(settings.name, false);
    return this.channel(settings.name);
  }

  /** Checks a channel that is not stored. @throws RpcError 108 */
  check(
    given: Static<typeof NewChannel>,
    caller: Principal,
  ): { readonly settings: Settings; readonly secret: Values } {
    const kind = kindOf(given.kind);
    const secret = filledIn(given.secret ?? {});
    const config = filledIn(given.config);
    checkValues(kind, config, secret);
    const { name, language, enable } = given;
    const owner = this.#parts.owners.of(caller);
    const common = { language: language ?? 'en', zone: zoneOf(given.zone), enable: enable ?? true };
    return { settings: { name, kind: kind.kind, config, owner, ...common }, secret };
  }

  /** @returns the channel, and the secret fields that were emptied because its host changed @throws RpcError 103, 105, 107, 108 */
  async update(
    name: string,
    change: Static<typeof ChannelChange>,
    caller: Principal,
    isDry = false,
  ): Promise<{ readonly channel: Waiting; readonly emptied: string[] }> {
    const { changed, channels, clock } = this.#parts;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = await this.channel(name);
      const { settings, sealed, emptied } = await this.#merged(old, change, caller);
      if (isDry) return { channel: { ...old, ...settings, sealed }, emptied };
      if (!(await channels.change(old, settings, sealed, clock.now()))) continue;
      changed(name, old.failing_since !== null);
      return { channel: await this.channel(name), emptied };
    }
    throw RpcError.other('the channel is being changed by others; try again');
  }

  /** @returns messages that were dropped @throws RpcError 103, 105 */
  async remove(name: string): Promise<number> {
    const dropped = await this.#parts.channels.remove(name);
    if (dropped === undefined) throw noChannel(name);
    this.#parts.changed(name, false);
    return dropped;
  }

  /** @throws RpcError 103, 105 */
  async channel(name: string): Promise<Waiting> {
    const channel = await this.#parts.channels.find(name);
    if (!channel) throw noChannel(name);
    return channel;
  }

  /** Returns the secrets of a channel. @throws RpcError 107 without the key */
  secretOf(channel: ChannelRow): Values {
    return hasAny(channel.sealed) ? unseal(this.#parts.keys.key, channel, channel.sealed) : {};
  }

  async #merged(old: ChannelRow, change: Static<typeof ChannelChange>, caller: Principal) {
    const kind = kindOf(old.kind);
    const config = change.config === undefined ? old.config : filledIn(change.config);
    const given = change.secret === null ? nulls(old.sealed) : (change.secret ?? {});
    const secret = this.secretOf(old);
    const [before, after] = [
      { ...old.config, ...secret },
      { ...config, ...secret, ...given },
    ];
    const isMoved = kind.fields.some(
      ({ name, host }) => host && placeOf(after[name]) !== placeOf(before[name]),
    );
    const kept = Object.entries(old.sealed).filter(([field]) => !Object.hasOwn(given, field));
    const fresh = filledIn(given);
    // A secret that was emptied is demanded when the channel sends, so that the host can change first.
    checkValues(kind, config, filledIn({ ...secret, ...given }));
    const sealed = {
      ...(isMoved ? {} : Object.fromEntries(kept)),
      ...(hasAny(fresh) ? seal(await this.#key(), old, fresh) : {}),
    };
    const settings: Settings = {
      ...{ name: old.name, kind: old.kind, config, owner: this.#parts.owners.of(caller) },
      language: settled(change.language, old.language, 'en'),
      zone: zoneOf(settled(change.zone, old.zone, 'UTC')),
      enable: settled(change.enable, old.enable, true),
    };
    return { settings, sealed, emptied: isMoved ? kept.map(([field]) => field) : [] };
  }

  /** The key, if the database still remembers it. */
  async #key(): Promise<Buffer> {
    await this.#parts.keys.isKnown();
    return this.#parts.keys.key;
  }
}

/** A channel as it is when it is new. */
const unused = (settings: Settings, sealed: Sealed, now: number): Waiting => ({
  ...settings,
  ...{ id: 0, sealed, version: 1, created_at: now, updated_at: now },
  ...{ failing_since: null, retry_at: 0, tries: 0, last_ok_at: null, last_status: null },
  ...{ last_error: null, sent: 0, failed: 0, dropped: 0, waiting: 0 },
});

export const noChannel = (name: string) => RpcError.notFound(`there is no channel '${name}'`);

const hasAny = (values: Values): boolean => Object.keys(values).length > 0;
/** Values without those that forms leave empty. */
const filledIn = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''));
const nulls = (values: Values): Record<string, null> =>
  Object.fromEntries(Object.keys(values).map((field) => [field, null]));

/** A member that is absent stays, null is the default. */
const settled = <T>(given: T | null | undefined, old: T, initial: T): T =>
  given === undefined ? old : (given ?? initial);

/** Receiver that a value names: an address without its path, so that no one can lead a secret elsewhere. */
function placeOf(value: unknown): string {
  const text = String(value ?? '');
  const url = URL.parse(text);
  return url && url.host !== '' ? `${url.protocol}//${url.host}` : text.toLowerCase();
}

function kindOf(name: string): Kind {
  const kind = KINDS.get(name);
  if (kind) return kind;
  throw RpcError.invalid(
    `there is no kind '${name}': it is one of ${[...KINDS.keys()].join(', ')}`,
  );
}

function zoneOf(zone: string | null | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone ?? 'UTC' }).resolvedOptions().timeZone;
  } catch (cause) {
    throw RpcError.invalid(`'${zone}' is no time zone: write one as Europe/Berlin`, { cause });
  }
}
