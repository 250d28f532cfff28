import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { MonitorHistory } from '@svc/plugin-monitor/api';
import { type Auth, type Clock, type Principal, RpcError, type Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import { type Entry, type Incident, isMonitor, type MonitorEntry, type Page } from './page.ts';
import { maySee, maySeeMonitor } from './permissions.ts';
import { type Content, contentOf, incidentOf } from './rules.ts';
import type { IncidentChange, NewIncident, NewPage, PageChange } from './schemas.ts';
import type { Store } from './store.ts';

/** Several callers may change one page at the same time. */
const ATTEMPTS = 5;

export interface ChangesParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly owners: Owners;
  readonly registry: AgentRegistry;
  readonly store: Store;
  /** undefined: this server has no monitors. */
  readonly monitors: MonitorHistory | undefined;
  /** Reads the records again, and tells the other servers. */
  readonly changed: (slug: string) => Promise<void>;
}

/** Changes that the methods make. The writer of a page owns it, and must see all that it shows. */
export class Changes {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** @throws RpcError 102, 106 unknown agent, 108 */
  async create(slug: string, given: Static<typeof NewPage>, caller: Principal): Promise<Page> {
    const { clock, store, changed } = this.#parts;
    const content = contentOf(given);
    const owner = await this.#ownerOf(content, caller, []);
    const page = { slug, ...content, owner, version: 1, updated_at: clock.now() };
    await store.insert(page);
    await changed(slug);
    return page;
  }

  /** @throws RpcError 102, 105 unknown page, 106 unknown agent, 108 */
  async update(slug: string, given: Static<typeof PageChange>, caller: Principal): Promise<Page> {
    const { clock, store, changed } = this.#parts;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = await this.page(slug);
      const content = contentOf(given, old);
      const owner = await this.#ownerOf(content, caller, old.settings.entries);
      const next = { version: old.version + 1, updated_at: clock.now() };
      const page = { slug, ...content, owner, ...next };
      if (!(await store.change(page))) continue;
      await changed(slug);
      return page;
    }
    throw RpcError.other('the page is being changed by others; try again');
  }

  /** @throws RpcError 105 */
  async remove(slug: string): Promise<void> {
    if (!(await this.#parts.store.remove(slug))) throw noPage(slug);
    await this.#parts.changed(slug);
  }

  /** @throws RpcError 105 */
  async page(slug: string): Promise<Page> {
    const page = await this.#parts.store.page(slug);
    if (!page) throw noPage(slug);
    return page;
  }

  /** @throws RpcError 105, 108 */
  async addIncident(slug: string, given: Static<typeof NewIncident>): Promise<Incident> {
    const { clock, store, changed } = this.#parts;
    const incident = await store.addIncident(slug, incidentOf(given, clock.now()));
    if (!incident) throw noPage(slug);
    await changed(slug);
    return incident;
  }

  /** @throws RpcError 105, 108 */
  async updateIncident(
    slug: string,
    id: number,
    given: Static<typeof IncidentChange>,
  ): Promise<Incident> {
    const { clock, store, changed } = this.#parts;
    const old = await store.incident(slug, id);
    if (!old) throw noIncident(slug, id);
    const incident = { id, ...incidentOf(given, clock.now(), old) };
    if (!(await store.changeIncident(slug, incident))) throw noIncident(slug, id);
    await changed(slug);
    return incident;
  }

  /** @throws RpcError 105 */
  async removeIncident(slug: string, id: number): Promise<void> {
    const { store, changed } = this.#parts;
    if (!(await store.removeIncident(slug, id))) throw noIncident(slug, id);
    await changed(slug);
  }

  /** Returns the owner to store for a page. @throws RpcError 102 for what the caller may not see itself, 106 */
  async #ownerOf(
    { settings }: Content,
    caller: Principal,
    before: readonly Entry[],
  ): Promise<string | null> {
    const { auth, owners, registry } = this.#parts;
    await this.#checkMonitors(settings.entries.filter(isMonitor), caller, before);
    for (const entry of settings.entries) {
      if (isMonitor(entry)) continue;
      const wanted = maySee(entry);
      if (!(await auth.allows(caller, wanted))) throw RpcError.denied(wanted.denied);
      if (!(await registry.find(entry.agent))) {
        throw RpcError.uuid(`${entry.agent}, in the entry '${entry.name}'`);
      }
    }
    return owners.of(caller);
  }

  /** @throws RpcError 102, 105 unknown monitor, 108 */
  async #checkMonitors(
    entries: readonly MonitorEntry[],
    caller: Principal,
    before: readonly Entry[],
  ): Promise<void> {
    const { auth, monitors } = this.#parts;
    if (!monitors) {
      const had = new Set(before.filter(isMonitor).map(({ monitor }) => monitor));
      // What sleeps may stay: the right of its owner is asked when it wakes.
      if (entries.every(({ monitor }) => had.has(monitor))) return;
      throw RpcError.invalid(
        'this server has no plugin `monitor`: take entries with a monitor out',
      );
    }
    const found = await monitors.find(entries.map(({ monitor }) => monitor));
    for (const { key, name, monitor } of entries) {
      const named = found.get(monitor);
      // Whoever may read all monitors learns that there is none, others nothing.
      const wanted = maySeeMonitor(named?.name ?? '');
      if (!(await auth.allows(caller, wanted))) throw RpcError.denied(wanted.denied);
      if (!named) throw RpcError.notFound(`there is no monitor ${monitor}, in the entry '${key}'`);
      if (name === '' && named.public_name === null) {
        throw RpcError.invalid(
          `the entry '${key}' needs a name that readers see: its monitor '${named.name}' has no public_name`,
        );
      }
    }
  }
}

const noPage = (slug: string) => RpcError.notFound(`there is no page '${slug}'`);
const noIncident = (slug: string, id: number) =>
  RpcError.notFound(`the page '${slug}' has no incident ${id}`);
