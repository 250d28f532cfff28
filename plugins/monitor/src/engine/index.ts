import { type Network, PlaceChecks, Runner, withPing } from '@svc/checks';
import { Egress } from '@svc/plugin-egress/api';
import { Secrets } from '@svc/plugin-notify/api';
import { countingIn, type Kernel } from '@svc/plugin-sdk';
import { Owners } from '@svc/plugin-token/api';
import { openAgents } from '../agents/index.ts';
import { MonitorVerdict } from '../api.ts';
import type { Config } from '../config.ts';
import { openHeartbeats } from '../heartbeat/index.ts';
import { AgentStore } from '../store/agents.ts';
import { CertificateStore } from '../store/certificates.ts';
import { untilMissed } from '../store/hours.ts';
import { IsolatedStore } from '../store/isolated.ts';
import { MonitorStore } from '../store/monitors.ts';
import { type PackedMonitor, Packer } from '../store/packer.ts';
import { ResultStore } from '../store/results.ts';
import { slices } from '../store/sql.ts';
import { StateStore } from '../store/states.ts';
import { VerdictStore } from '../store/verdicts.ts';
import { type Monitor, SERVER_PLACE } from '../types.ts';
import { isChecked } from './checked.ts';
import { CutOff } from './cut-off.ts';
import { type Changed, Judging } from './judging.ts';
import { KnownMonitors } from './known.ts';
import { Recorder } from './recorder.ts';
import { openRegistries, type Registries } from './registries.ts';
import { Rounds } from './rounds.ts';
import { Share } from './share.ts';

/** The longest time that a check may take: its own limit ends it before. */
const RULES = { connect_ms: 60_000, idle_ms: 60_000, max_bytes: 131_072 };

export type Stores = ReturnType<typeof openStores>;
export type Engine = ReturnType<typeof openEngine>;

export function openStores(kernel: Kernel<Config>) {
  const { clock, db } = kernel;
  return {
    monitors: new MonitorStore(db, countingIn(kernel), clock),
    states: new StateStore(db, clock),
    verdicts: new VerdictStore(db, clock),
    results: new ResultStore(db, clock),
    certificates: new CertificateStore(db),
    isolatedServers: new IsolatedStore(db),
    agents: new AgentStore(db),
  };
}

/** Returns how long a result of a monitor says something; what is called, and groups, do without results. */
export const coverEnd = ({ kind, interval_s }: PackedMonitor) =>
  isChecked(kind) ? untilMissed(interval_s) : 'always';

/** Ways out of this server: monitors of the Super Token reach all, those of tokens what is public or allowed. */
export function openNetworks(kernel: Kernel<Config>, registries: Registries) {
  const egress = kernel.use(Egress);
  const rules = () => ({
    ...{ ...RULES, allow: kernel.config.allow_private },
    key: 'allow_private under [monitor]',
  });
  const ofTokens = egress.open(rules());
  kernel.hooks.reload.tap(() => ofTokens.change(rules()));
  const registry = (name: string) => registries.baseOf(name);
  const [all, open] = [egress.open({ ...RULES, allow: ['*'] }), ofTokens].map((door) => ({
    ...withPing(door),
    registry,
  })) as [Network, Network];
  return (owner: string | null): Network => (owner === null ? all : open);
}

/** Checks of this server, and the verdicts while it is its turn. */
export function openEngine(kernel: Kernel<Config>, stores: Stores) {
  const { bus, clock, config, db, log } = kernel;
  const { monitors, states, verdicts, results, certificates, isolatedServers } = stores;
  const owners = kernel.use(Owners);
  const secrets = kernel.useOptional(Secrets);
  const known = new KnownMonitors({ clock, log, owners, store: monitors });
  const agents = openAgents({ kernel, stores, known, owners, secrets });
  const { placing } = agents;
  const cutOff = new CutOff(kernel, isolatedServers);
  const registries = openRegistries(kernel);
  const networkFor = openNetworks(kernel, registries);
  const user_agent = `${kernel.brand.word}-monitor/${kernel.server.version}`;
  const recorder = new Recorder({
    ...{ clock, log, results, states, certificates },
    intervalOf: (id) => (known.byId(id)?.interval_s ?? 60) * 1_000,
    isolated: (isIsolated) => cutOff.set(isIsolated),
  });
  const checks = new PlaceChecks<Monitor>({
    ...{ clock, log, user_agent, place_id: SERVER_PLACE, sink: recorder },
    networkOf: ({ owner }) => networkFor(owner),
  });
  const runner = new Runner(clock, () => config.concurrent);
  const share = new Share({
    ...{ log, bus, known, monitors, states, checks, recorder, runner, secrets },
  });
  known.onRead(() => share.update());
  known.onRead(async () => agents.sessions?.update());
  const changed = (changes: readonly Changed[]) => {
    for (const some of slices(changes)) kernel.publish(MonitorVerdict, { changes: some });
  };
  const heartbeats = openHeartbeats({ kernel, monitors, states });
  const judging = new Judging({ clock, known, placing, heartbeats, states, verdicts, changed });
  const rounds = new Rounds({
    ...{ kernel, known, placing, judging, monitors, states, verdicts },
    packer: new Packer({ db, clock, log, coverEnd }),
    details: results.details,
    keepDays: () => config.keep_results_days,
  });
  return {
    agents,
    heartbeats,
    cutOff,
    known,
    networkFor,
    owners,
    recorder,
    registries,
    rounds,
    runner,
    secrets,
    share,
    user_agent,
  };
}
