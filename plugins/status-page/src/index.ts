import { AgentHistory } from '@svc/plugin-agent-events/api';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { MaintenanceWindows } from '@svc/plugin-alert/api';
import { MonitorHistory } from '@svc/plugin-monitor/api';
import {
  countingIn,
  DatabaseChanged,
  definePlugin,
  Holdings,
  type Kernel,
  type Methods,
  reload,
  type Static,
  Type,
  topic,
} from '@svc/plugin-sdk';
import { Probes } from '@svc/plugin-task/api';
import { Owners } from '@svc/plugin-token/api';
import { Changes, type ChangesParts } from './changes.ts';
import { examples } from './examples.ts';
import { pagesHeld } from './held.ts';
import { visible } from './live/gather.ts';
import { MonitorCurves } from './live/monitor-curves.ts';
import { LivePages } from './live/pages.ts';
import { ProbeHistory } from './live/probe-history.ts';
import { addIncidentMethods } from './methods/incidents.ts';
import { addPageMethods } from './methods/pages.ts';
import { migrations } from './migrations/index.ts';
import { OutageRounds, ROUND_MS } from './outages/rounds.ts';
import { OutageIncidents } from './outages/store.ts';
import { permissions, scopes } from './permissions.ts';
import { Records } from './records.ts';
import { serve } from './serve.ts';
import { Store } from './store.ts';
import { assets } from './view/snapshot.ts';

/** A page or its incidents changed. */
const PageChanged = topic('status-page.changed', Type.Object({ slug: Type.String() }));

const config = Type.Object({
  refresh_s: Type.Integer({
    minimum: 5,
    maximum: 3_600,
    default: 30,
    description: 'A page is read from the database once in so many seconds, whoever looks at it.',
  }),
  max_pages: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 100,
    description: 'Pages that all tokens together may have, and as many again the Super Token.',
  }),
  max_pages_per_owner: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 25,
    description: 'Pages that a token may have, with all tokens that it created.',
  }),
});

type Config = Static<typeof config>;

/** Public pages that say how agents, probes and monitors are: namespace `status-page`, `GET /svc/status/SLUG`. */
export default definePlugin({
  name: 'status-page',
  namespaces: ['status-page'],
  requires: [AgentRegistry, AgentHistory, Owners, Holdings],
  optional: [Probes, MaintenanceWindows, MonitorHistory],
  brings: ['agent-events'],
  config: reload(config),
  permissions,
  scopes,
  migrations,
  examples,
  // A row shows what its owner may read.
  guards: { status_page: 'fixed', status_page_incident: 'fixed' },

  async setup(kernel) {
    const { clock, db, hooks, log } = kernel;
    const store = new Store(db, countingIn(kernel));
    const records = new Records(store);
    const files = await assets();
    let live: LivePages | undefined;
    const forget = async (slug: string) => {
      await records.reload();
      live?.forget(slug);
    };

    const changed = async (slug: string) => {
      await forget(slug);
      kernel.publish(PageChanged, { slug });
    };
    hooks.methods.tap((methods) => addMethods(methods, kernel, { store, records, changed }));
    hooks.start.tap(() => followOutages(kernel, { records, changed }));
    hooks.routes.tap((routes) => {
      live = openPages(kernel, store);
      const served = { clock, log, records, live, assets: files };
      for (const path of ['/svc/status/:slug', '/svc/status/:slug/*path']) {
        routes.add({ path, handle: (exchange) => serve(exchange, served) });
      }
    });
    hooks.prepare.tap(() => {
      const owned = async (owner: string) => records.ownedBy(owner);
      kernel.use(Owners).register({ kind: 'status-page', list: owned });
      kernel.use(Holdings).register(pagesHeld(kernel.config));
      return records.reload();
    });
    const failed = (error: unknown) => log.error('status pages could not be read again', { error });
    kernel.subscribe(PageChanged, ({ slug }, { own }) => {
      if (!own) forget(slug).catch(failed);
    });
    kernel.subscribe(DatabaseChanged, () => {
      const readAgain = records.reload().then(() => live?.forgetAll());
      readAgain.catch(failed);
    });
    hooks.reload.tap(() => live?.forgetAll());
  },
});

function addMethods(
  methods: Methods,
  kernel: Kernel<Config>,
  parts: Pick<ChangesParts, 'store' | 'changed'> & { readonly records: Records },
): void {
  const { auth, clock } = kernel;
  const [owners, registry] = [kernel.use(Owners), kernel.use(AgentRegistry)];
  const monitors = kernel.useOptional(MonitorHistory);
  const changes = new Changes({ ...parts, auth, clock, owners, registry, monitors });
  addPageMethods(methods, { auth, changes, owners, monitors, records: parts.records });
  addIncidentMethods(methods, changes, parts.store);
}

/** Has outages of monitors make incidents, where there are monitors. */
function followOutages(
  kernel: Kernel<Config>,
  { records, changed }: Pick<ChangesParts, 'changed'> & { readonly records: Records },
): void {
  const history = kernel.useOptional(MonitorHistory);
  if (!history) return;
  const { clock, db } = kernel;
  const [owners, registry] = [kernel.use(Owners), kernel.use(AgentRegistry)];
  const rounds = new OutageRounds({
    ...{ clock, owners, history, changed, store: new OutageIncidents(db) },
    pages: () => records.list(),
    visible: (page) => visible(page, { owners, registry, monitors: history }),
  });
  kernel.every('incidents of outages', ROUND_MS, () => rounds.run());
}

function openPages(kernel: Kernel<Config>, store: Store): LivePages {
  const { brand, clock, config: settings, log, signal } = kernel;
  const read = kernel.useOptional(Probes);
  const monitors = kernel.useOptional(MonitorHistory);
  return new LivePages({
    clock,
    log,
    store,
    owners: kernel.use(Owners),
    registry: kernel.use(AgentRegistry),
    history: kernel.use(AgentHistory),
    windows: kernel.useOptional(MaintenanceWindows),
    monitors,
    curves: monitors && new MonitorCurves(monitors),
    probes: read && new ProbeHistory(read, signal, log),
    base: brand.rewrite('/svc/status'),
    every_ms: () => settings.refresh_s * 1_000,
  });
}
