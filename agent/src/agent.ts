import { openSpool, removeOthers } from './buffer.ts';
import { type Clock, sleep, within } from './clock.ts';
import { type AgentConfig, redacted } from './config.ts';
import { startDocuments } from './documents.ts';
import { Link } from './link.ts';
import type { Logger } from './log.ts';
import type { Collector, Inventory, Sample } from './reports.ts';
import { schedule } from './schedule.ts';
import { staticHash } from './static-hash.ts';
import { deriveSummary, type Summary, summaryJson } from './summary.ts';
import { createRuntime } from './task-context.ts';
import { hasPty } from './terminal/pty.ts';

export interface AgentParts {
  readonly config: AgentConfig;
  /** Path of the configuration file, for the tasks that read and replace it. */
  readonly config_path: string;
  readonly collector: Collector;
  readonly clock: Clock;
  readonly log: Logger;
  /** Offset of the local clock, as NTP measured it. */
  readonly offset_ms: number;
  readonly random?: () => number;
}

/** Usage and speeds are the difference of two readings. This is the time between the first two. */
const FIRST_READING_MS = 250;
/** Time for the tasks to end and for their answers to leave, before the connections are closed. */
const END_TASKS_MS = 800;

/** Collects once and logs everything at level info, for a dry run and for step 3 of a start (clients.md §2.4). */
export async function collectOnce(
  parts: Omit<AgentParts, 'offset_ms' | 'config_path'>,
): Promise<Inventory> {
  const { collector, clock, config, log } = parts;
  await sleep(clock, 'first reading', FIRST_READING_MS, new AbortController().signal);
  const inventory = await collector.inventory();
  const sample = await collector.sample();
  log.info('static data', { ...inventory, data_hash: staticHash(inventory) });
  log.info('dynamic data', { ...sample });
  log.info('dynamic summary', summaryOf(sample, config, collector));
  return inventory;
}

/**
 * Connects to every server, reports and carries out tasks (clients.md §2.4 steps 3 to 8). Returns `stopped` when the
 * signal aborts, `restart` when a task has replaced the configuration file.
 */
export async function runAgent(
  parts: AgentParts,
  signal: AbortSignal,
): Promise<'stopped' | 'restart'> {
  const { config, config_path, clock, log, offset_ms } = parts;
  const inventory = await collectOnce(parts);
  await removeOthers(parts);
  warnAboutConfig(config, log);
  const end = new AbortController();
  const runtime = createRuntime({ clock, config, config_path, onRestart: () => end.abort() });
  const time = () => Math.max(0, Math.round(clock.now() + offset_ms));
  const { agent_uuid, connect_timeout_ms } = config;
  const shared = { ...parts, agent_uuid, connect_timeout_ms, time, runtime };
  const links = config.servers.map(
    (server) => new Link({ ...shared, server, spool: openSpool(parts, server) }),
  );
  const reporting = links.filter(({ server }) => server.allow_report);
  const stopReports = startReports(parts, inventory, time, reporting);
  const stopDocuments = startDocuments(parts, (key, content, isAllowed) => {
    const allowed = links.filter((link) => isAllowed(link.server));
    for (const link of allowed) link.putDocument(key, content);
  });
  const onStop = () => end.abort();
  signal.addEventListener('abort', onStop);
  if (signal.aborted) onStop();
  await runLinks(links, end.signal, clock);
  signal.removeEventListener('abort', onStop);
  stopReports();
  stopDocuments();
  runtime.close();
  log.info(signal.aborted ? 'stopped' : 'starting again');
  return signal.aborted ? 'stopped' : 'restart';
}

/** Runs the connections. At the end the tasks are answered first, so that the server does not wait for them. */
async function runLinks(links: Link[], signal: AbortSignal, clock: Clock): Promise<void> {
  const stop = new AbortController();
  const running = Promise.all(links.map((link) => link.run(stop.signal)));
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const ended = Promise.all(links.map((link) => link.endTasks('the agent stops')));
  await within(clock, 'end of tasks', END_TASKS_MS, ended);
  stop.abort();
  await running;
}

/**
 * Starts the summary, dynamic and static reports. The first of each comes one interval from now; static data comes
 * with a summary, too, to each server that has not had it on its connection.
 */
function startReports(
  { config, collector, clock, log }: AgentParts,
  inventory: Inventory,
  time: () => number,
  links: readonly Link[],
): () => void {
  const post = (method: string, data: string, to = links) => {
    for (const link of to) link.post(method, data);
  };
  const uuid = config.agent_uuid;
  const data_hash = staticHash(inventory);
  const postStatic = (to: readonly Link[]) => {
    const report = { uuid, time: time(), data_hash, ...inventory };
    post('agent_report_static', JSON.stringify(report), to);
  };
  const summary_ms = config.dynamic_summary_report_interval_ms;
  const nth = config.dynamic_report_interval_ms / summary_ms;
  let dynamicSlot = 0;
  const stopDynamic = schedule(clock, summary_ms, log, async (index) => {
    const sample = await collector.sample();
    // Before the summary: who hears of the machine by that finds its host name.
    postStatic(links.filter((link) => link.isStaticDue));
    const head = { uuid, time: time() };
    const summary = summaryOf(sample, config, collector);
    post('agent_report_dynamic_summary', summaryJson(head, summary));
    // Counted by slot, not by remainder: when the tick of a full report is skipped, the next tick sends it.
    const slot = Math.floor(index / nth);
    if (slot > dynamicSlot) post('agent_report_dynamic', JSON.stringify({ ...head, ...sample }));
    dynamicSlot = slot;
  });
  const static_ms = config.static_report_interval_ms;
  const stopStatic = schedule(clock, static_ms, log, async () => postStatic(links));
  return () => {
    stopDynamic();
    stopStatic();
  };
}

function summaryOf(sample: Sample, config: AgentConfig, collector: Collector): Summary {
  const disks = config.dynamic_summary_select_disk;
  const interfaces = config.dynamic_summary_select_network_interface;
  return deriveSummary(
    sample,
    { disks, interfaces, carried: collector.carried },
    collector.unknown,
  );
}

function warnAboutConfig(config: AgentConfig, log: Logger): void {
  for (const { name, server_uuid, allow_task, allowed_tasks, execute_only } of config.servers) {
    if (server_uuid !== server_uuid.toLowerCase()) {
      log.warn('servers tell their UUID in lower case: this server_uuid can never match', {
        server: name,
      });
    }
    if (allow_task && allowed_tasks.has('web_shell') && execute_only) {
      log.warn('execute_only does not bind the terminals, which are allowed', { server: name });
    }
    if (allow_task && allowed_tasks.has('web_shell') && !hasPty()) {
      log.warn('terminals are allowed, but the package @lydell/node-pty is not installed', {
        server: name,
      });
    }
  }
}

/** Logs the configuration in force, without its secrets. */
export const logConfig = (config: AgentConfig, log: Logger): void =>
  log.info('configuration', redacted(config));
