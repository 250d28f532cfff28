import { type Network, PlaceChecks, Runner, withPing } from '@svc/checks';
import { Egress } from '@svc/plugin-egress/api';
import { Secrets } from '@svc/plugin-notify/api';
import type { Kernel } from '@svc/plugin-sdk';
import { Owners } from '@svc/plugin-token/api';
import { openAgents } from '../agents/index.ts';
import { MonitorPauses, MonitorVerdict } from '../api.ts';
import type { Config } from '../config.ts';
import { openHeartbeats } from '../heartbeat/index.ts';
import { coverEnd, type Stores } from '../store/index.ts';
import { Packer } from '../store/packer.ts';
import { slices } from '../store/sql.ts';
import { type Monitor, SERVER_PLACE } from '../types.ts';
import { CutOff } from './cut-off.ts';
import { type Changed, Judging } from './judging.ts';
import { KnownMonitors } from './known.ts';
import { Peers } from './peers.ts';
import { Recorder } from './recorder.ts';
import { openRegistries, type Registries } from './registries.ts';
import { Rounds } from './rounds.ts';
import { Share } from './share.ts';

/** The longest time that a check may take: its own limit ends it before. */
const RULES = { connect_ms: 60_000, idle_ms: 60_000, max_bytes: 131_072 };

export type Engine = ReturnType<typeof openEngine>;

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
  const { clock, config, db, log, signal } = kernel;
  const { answers, monitors, states, verdicts, results, certificates, isolatedServers } = stores;
  const owners = kernel.use(Owners);
  const secrets = kernel.useOptional(Secrets);
  // The plugin `alert` may be set up later: it uses the monitors of this one.
  const pauses = () => kernel.useOptional(MonitorPauses)?.active(clock.now()) ?? [];
  const known = new KnownMonitors({ ...{ clock, log, owners, store: monitors, signal }, pauses });
  const agents = openAgents({ kernel, stores, known, owners, secrets });
  const { placing } = agents;
  const cutOff = new CutOff(kernel, isolatedServers);
  const registries = openRegistries(kernel);
  const networkFor = openNetworks(kernel, registries);
  const user_agent = `${kernel.brand.word}-monitor/${kernel.server.version}`;
  const recorder = new Recorder({
    ...{ clock, log, results, states, certificates, answers },
    intervalOf: (id) => (known.byId(id)?.interval_s ?? 60) * 1_000,
    isolated: (isIsolated) => cutOff.set(isIsolated),
  });
  const checks = new PlaceChecks<Monitor>({
    ...{ clock, log, user_agent, place_id: SERVER_PLACE, sink: recorder },
    networkOf: ({ owner }) => networkFor(owner),
  });
  const runner = new Runner(clock, () => config.concurrent);
  const peers = new Peers(kernel, () => void known.refresh());
  const share = new Share({
    ...{ log, peers, known, monitors, states, checks, recorder, runner, secrets },
  });
  known.onRead(() => share.update());
  known.onRead(async () => agents.sessions?.update());
  const changed = (changes: readonly Changed[]) => {
    for (const some of slices(changes)) kernel.publish(MonitorVerdict, { changes: some });
  };
  const heartbeats = openHeartbeats({ kernel, monitors, states });
  known.onRead(() => heartbeats.readKeys());
  const judging = new Judging({ known, placing, heartbeats, states, verdicts, changed });
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
    pauses,
    peers,
    recorder,
    registries,
    rounds,
    runner,
    secrets,
    share,
    user_agent,
  };
}
