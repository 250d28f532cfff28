import type { Server } from '../../frame/index.ts';
import { placeOf } from '../../parts/place.ts';
import type { Fleet } from './model.ts';

/** Texts of a card other than its figures. */
export interface About {
  /** "Debian GNU/Linux 12" */
  readonly system?: string;
  /** Family of the system, which has a picture. */
  readonly family?: 'windows' | 'mac' | 'unix';
  /** The country's name, or what else its notes say. */
  readonly region?: string;
}

/** Machines of one call. */
const MOST = 100;
/** Cards that come into the window together ask together. */
const GATHER_MS = 80;
const NOTHING: About = {};

/** System and region of the machines that are shown: asked for once each. */
export class Abouts {
  readonly #server: Server;
  readonly #fleet: Fleet;
  readonly #found = new Map<string, About>();
  #wanted: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(server: Server, fleet: Fleet) {
    this.#server = server;
    this.#fleet = fleet;
  }

  /** Empty until it has come. */
  of(uuid: string): About {
    const found = this.#found.get(uuid);
    if (found) return found;
    this.#found.set(uuid, NOTHING);
    this.#wanted.push(uuid);
    this.#timer ??= setTimeout(() => void this.#request(), GATHER_MS);
    return NOTHING;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #request(): Promise<void> {
    this.#timer = undefined;
    const uuids = this.#wanted.splice(0, MOST);
    if (this.#wanted.length > 0) this.#timer = setTimeout(() => void this.#request(), GATHER_MS);
    try {
      await Promise.all([this.#readSystems(uuids), this.#readRegions(uuids)]);
      this.#fleet.touch();
    } catch {
      // It is a help, not the news: after a lost connection it is read again.
      for (const uuid of uuids) this.#found.delete(uuid);
    }
  }

  async #readSystems(uuids: readonly string[]): Promise<void> {
    const { call, covers } = this.#server;
    const mine = uuids.filter((uuid) => covers('static_monitoring', 'read', uuid, 'system'));
    if (mine.length === 0) return;
    const rows = await call('agent_static_data_multi_last_query', {
      uuids: mine,
      fields: ['system'],
    });
    for (const { uuid, system } of rows)
      if (system && uuid !== undefined)
        this.#put(uuid, {
          system: system.system_os_long_version || system.system_name,
          family: familyOf(system.system_name),
        });
  }

  async #readRegions(uuids: readonly string[]): Promise<void> {
    const { call, has, covers } = this.#server;
    const key = 'metadata_region';
    const mine = uuids.filter((uuid) => has('kv') && covers('kv', 'read', uuid, key));
    if (mine.length === 0) return;
    const namespace_key = mine.map((namespace) => ({ namespace, key }));
    for (const { namespace, value } of await call('kv_get_multi_value', { namespace_key }))
      if (typeof value === 'string' && value !== '')
        this.#put(namespace, { region: placeOf(value) });
  }

  #put(uuid: string, part: About): void {
    this.#found.set(uuid, { ...this.#found.get(uuid), ...part });
  }
}

const familyOf = (name: string): NonNullable<About['family']> =>
  /windows/i.test(name) ? 'windows' : /mac|darwin/i.test(name) ? 'mac' : 'unix';
