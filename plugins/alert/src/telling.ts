import { AgentReported } from '@svc/plugin-agent/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Egress } from '@svc/plugin-egress/api';
import type { MonitorPauses } from '@svc/plugin-monitor/api';
import type { Notify } from '@svc/plugin-notify/api';
import {
  countingIn,
  DatabaseChanged,
  type Kernel,
  type Methods,
  type Principal,
  type Requirement,
  type Static,
} from '@svc/plugin-sdk';
import type { Routes } from '@svc/plugin-sdk/http';
import { AttemptThrottle, type Owners } from '@svc/plugin-token/api';
import { type Acknowledge, addAckRoutes } from './ack/routes.ts';
import { AckStore } from './ack/store.ts';
import type { HiddenBy } from './alerts/answers.ts';
import type { IsVisible } from './alerts/visible.ts';
import { textOf } from './alerts/words.ts';
import { AlertChanged, AlertTouched, AlertTransition, type MaintenanceWindows } from './api.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { LastHeard } from './dispatch/heard.ts';
import { Pace } from './dispatch/pace.ts';
import { DispatchStore } from './dispatch/store.ts';
import { Watchdog } from './dispatch/watchdog.ts';
import type { KnownMonitors } from './monitors.ts';
import { mayShowOn } from './permissions.ts';
import { addPolicyMethods } from './policies/methods.ts';
import type { LoadedRules } from './rules/loaded.ts';
import { mayAlert, mayDo, mayServe, mayWatch, readsOf } from './rules/rights.ts';
import { hasMonitor } from './rules/scope.ts';
import { asSevere } from './rules/severity.ts';
import type { AlertAnswer } from './schemas.ts';
import { Settings, SettingsChanged } from './settings.ts';
import { matches } from './silences/matcher.ts';
import { addSilenceMethods } from './silences/methods.ts';
import { OpenAlerts } from './silences/open.ts';
import type { SettingsParts } from './silences/parts.ts';
import { maySeeSettings } from './silences/rights.ts';
import type { AlertStore } from './store/alerts.ts';
import { nameOfSubject } from './subjects.ts';
import type { Alert, Machines, Placed, Rule } from './types.ts';
import { addWindowMethods } from './windows/methods.ts';
import { publicWindows } from './windows/public.ts';

const REFRESH_MS = 10_000;
/** Rules of the watchdog's address, which stands in the configuration: its operator may name any. */
const rules = { connect_ms: 5_000, idle_ms: 10_000, max_bytes: 65_536, allow: ['*'] };

/** Parts of the plugin that telling stands on. */
export interface TellingParts {
  readonly kernel: Kernel<{ readonly watchdog_url: string }>;
  readonly notify: Notify;
  readonly rules: LoadedRules;
  readonly machines: Machines;
  readonly monitors: KnownMonitors;
  readonly alerts: AlertStore;
  readonly owners: Owners;
  readonly registry: AgentRegistry;
  readonly egress: Egress;
  /** An alert as the wire has it. */
  readonly answer: (alert: Alert, caller: Principal) => Promise<Static<typeof AlertAnswer>>;
  readonly acknowledge: Acknowledge;
  /** Hears which alerts were told or suppressed, after the commit. */
  readonly changed: (ids: readonly number[]) => void;
}

/** Decides who is told, and when: the dispatcher with silences, windows, policies, and links that acknowledge. */
export class Telling {
  readonly #parts: TellingParts;
  readonly #settings: Settings;
  readonly #heard = new LastHeard();
  readonly #dispatcher: Dispatcher;
  readonly #watchdog: Watchdog;
  readonly #pace: Pace;
  /** Tells whether alerts, rules or settings changed since they were read. */
  #isTouched = true;

  constructor(parts: TellingParts) {
    const { kernel, egress, owners } = parts;
    this.#parts = parts;
    this.#settings = new Settings(kernel.db, kernel.clock, {
      counting: countingIn(kernel),
      mayShow: (owner, slug) => owners.may(owner, mayShowOn(slug)),
      isSuspended: (owner, wanted) => owners.isSuspended(owner, wanted),
    });
    this.#dispatcher = new Dispatcher(this.#dispatchParts());
    this.#pace = new Pace(kernel.clock, kernel.db.severalServers);
    this.#watchdog = new Watchdog({
      ...{ clock: kernel.clock, log: kernel.log, signal: kernel.signal },
      egress: egress.open(rules),
      url: () => kernel.config.watchdog_url,
      proves: () => new DispatchStore(kernel.db).prove(kernel.clock.now()),
    });
  }

  /** Makes the policy `default`, and reads silences, windows and policies. @throws RpcError 103 */
  prepare(): Promise<void> {
    const dependents = this.#settings.dependents(() => this.#reload());
    for (const kind of dependents) this.#parts.owners.register(kind);
    return this.#settings.prepare();
  }

  /** Listens for changes and reads everything again now and then. Called in the hook `start`. */
  start(): void {
    const { kernel } = this.#parts;
    const failed = (error: unknown) =>
      kernel.log.error('silences, windows and policies could not be read', { error });
    const reload = () => void this.#reload().catch(failed);
    kernel.subscribe(SettingsChanged, (_changed, { own }) => {
      if (!own) reload();
    });
    kernel.subscribe(DatabaseChanged, reload);
    kernel.subscribe(AgentReported, ({ uuids }) => this.#heard.heard(uuids, kernel.clock.now()));
    kernel.every('silences, windows, policies', REFRESH_MS, () => this.#refresh());
    const touched = () => {
      this.#isTouched = true;
      this.#pace.wake();
    };
    for (const topic of [AlertTransition, AlertTouched, AlertChanged, SettingsChanged])
      kernel.subscribe(topic, touched);
    kernel.subscribe(DatabaseChanged, touched);
  }

  /** One round on the server whose turn it is, each second. @throws RpcError 103 */
  async run(now: number): Promise<void> {
    await this.#pace.look(now, async () => {
      await this.#dispatcher.run(now);
      return this.#dispatcher.nextAt();
    });
  }

  /** Calls the watchdog address, once a minute, on the server whose turn it is, after a round that went well. */
  watch(): Promise<void> {
    return this.#watchdog.run();
  }

  /** Reason for which nothing is sent about an alert now; null: there is none. */
  hiddenBy(alert: Placed, now = this.#parts.kernel.clock.now()): HiddenBy | null {
    const hidden = this.#dispatcher.hiddenBy(alert, now);
    return hidden ? { ...hidden, wants: this.wants(hidden.key) } : null;
  }

  /** The right to see the name of what hides an alert, by its key; null: whoever sees the alert may. */
  wants(key: string): Requirement | null {
    const { silences, windows } = this.#settings;
    const [kind, id = ''] = key.split(':');
    if (kind === 'silence') return maySeeSettings(silences.find(Number(id))?.scope ?? {});
    if (kind === 'window') return maySeeSettings(windows.find(Number(id))?.scope ?? {});
    // Policies are listed for those who may read everything.
    if (kind === 'quiet') return mayDo('read');
    if (kind === 'monitor')
      return mayAlert('read', { subject_kind: kind, subject_id: id }, this.#parts.monitors);
    return kind === 'machine' ? mayDo('read', { agents: [id] }) : null;
  }

  /** Numbers of alerts that each of these suppresses, by id; without `isVisible` of all machines. @throws RpcError 103 */
  below(alerts: readonly Alert[], isVisible: IsVisible | undefined): Promise<Map<number, number>> {
    return this.#dispatcher.below(alerts, isVisible);
  }

  addMethods(methods: Methods): void {
    const { kernel, notify, owners, machines, monitors, answer } = this.#parts;
    const { auth, clock, db } = kernel;
    const parts: SettingsParts = {
      ...{ auth, clock, owners, settings: this.#settings, answer, monitors },
      open: new OpenAlerts(db, this.#parts.rules, { machines, monitors }),
      changed: async (what) => {
        await this.#reload();
        kernel.publish(SettingsChanged, { what });
      },
    };
    addSilenceMethods(methods, parts);
    addWindowMethods(methods, parts);
    addPolicyMethods(methods, parts, notify);
  }

  addRoutes(routes: Routes): void {
    const { acknowledge, alerts, kernel, notify } = this.#parts;
    const { clock, db, log } = kernel;
    addAckRoutes(routes, {
      ...{ clock, log, acknowledge, store: new AckStore(db) },
      throttle: new AttemptThrottle(kernel, {
        refusal: 'wrong key of an acknowledge link',
        message: 'acknowledge link refused',
      }),
      find: async (id) => {
        const alert = await alerts.byId(id);
        const rule = alert && this.#parts.rules.byId(alert.rule_id);
        if (!alert || !rule) return undefined;
        const { part, since, detail } = alert;
        const subject = nameOfSubject(alert, this.#parts);
        const value = this.#valueText(alert, rule);
        const { name, severity } = asSevere(rule, alert);
        const threshold = detail.threshold ?? '';
        const server = await notify.publicUrl();
        const url = server === undefined ? '' : server + this.#pagePath(alert);
        const facts = { part, severity, value, threshold, since, url };
        return { alert, shown: { rule: name, subject, ...facts } };
      },
    });
  }

  /** Windows that stop the checks of monitors, for the plugin `monitor`. */
  pauses(): MonitorPauses {
    const { windows } = this.#settings;
    return {
      active: (now) =>
        windows.pausing(now).map(({ window: { id, version, scope, name }, range: [, until] }) => ({
          ...{ key: `${id}.${version}`, name, until, needs: maySeeSettings(scope) },
          holdsFor: ({ name, tags, severity }) =>
            matches(scope, { rule: '', kind: 'monitor', subjects: [name], tags, severity }),
        })),
    };
  }

  /** Public windows, for status pages. */
  windows(): MaintenanceWindows {
    return publicWindows(this.#settings.windows, this.#parts);
  }

  /** Reads again what may have changed: alone a server hears of every change, but for the rights of owners. */
  async #refresh(): Promise<void> {
    const { severalServers } = this.#parts.kernel.db;
    const isTouched = this.#isTouched || severalServers;
    this.#isTouched = false;
    if (severalServers || this.#settings.haveOwners) await this.#settings.reload();
    if (isTouched) await this.#dispatcher.reload();
  }

  async #reload(): Promise<void> {
    await this.#settings.reload();
    await this.#dispatcher.reload();
  }

  #dispatchParts() {
    const { kernel, notify, machines, monitors, changed, registry } = this.#parts;
    const { brand, clock, db, log } = kernel;
    return {
      ...{ db, clock, log, notify, machines, monitors, changed, rules: this.#parts.rules },
      settings: this.#settings,
      fleet: {
        count: () => registry.list().filter(({ soft_delete }) => !soft_delete).length,
        lateSince: (uuid: string) => this.#heard.lateSince(uuid, clock.now()),
      },
      mayTell: (rule: Rule, alert: Alert, scoped: boolean) => this.#mayTell(rule, alert, scoped),
      valueText: (alert: Alert, rule: Rule) => this.#valueText(alert, rule),
      ackPath: brand.rewrite('/svc/alert/ack'),
      pagePath: (alert: Alert) => this.#pagePath(alert),
    };
  }

  #pagePath({ id }: Alert): string {
    return `${this.#parts.kernel.brand.rewrite('/svc/dashboard')}/alerts/${id}`;
  }

  #valueText({ value, detail }: Alert, { id }: Pick<Rule, 'id'>): string {
    return textOf(value, this.#parts.rules.conditionOf(id)) || (detail.monitor?.detail ?? '');
  }

  /** Tells whether a rule may speak of a subject: of an opening its scope must have it, too. */
  async #mayTell(rule: Rule, alert: Alert, scoped: boolean): Promise<boolean> {
    const { owners, registry } = this.#parts;
    const isAgent = alert.subject_kind === 'agent';
    const agent = isAgent ? registry.known(alert.subject_id) : undefined;
    const isIn = agent && !agent.soft_delete && this.#parts.rules.applies(rule, agent.id);
    if (scoped && isAgent && !isIn) return false;
    const { subject_id, detail } = alert;
    const isMonitor = alert.subject_kind === 'monitor';
    const name = isMonitor ? this.#parts.monitors.nameOf(alert) : '';
    const tags = this.#parts.monitors.of(subject_id)?.tags ?? detail.tags ?? [];
    if (scoped && isMonitor && !hasMonitor(rule.scope, { name, tags })) return false;
    if (rule.owner === null) return true;
    if (isMonitor) return owners.may(rule.owner, mayWatch(name));
    if (!isAgent) return owners.may(rule.owner, mayServe);
    const variables = this.#parts.rules.conditionOf(rule.id)?.variables ?? [];
    const permissions = readsOf(rule.source, variables);
    return owners.may(rule.owner, { scopes: [{ agent_uuid: alert.subject_id }], permissions });
  }
}
