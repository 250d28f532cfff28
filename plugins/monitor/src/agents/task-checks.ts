import { type Checked, type Job, judgeOutcome, type Outcome, Runner, serverOf } from '@svc/checks';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Secrets } from '@svc/plugin-notify/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import { normaliseTaskType, type Tasks } from '@svc/plugin-task/api';
import { checkedOf } from '../engine/checked.ts';
import { gently } from '../engine/gently.ts';
import type { KnownMonitors } from '../engine/known.ts';
import { type MonitorStore, PAGE_ROWS } from '../store/monitors.ts';
import { slices } from '../store/sql.ts';
import type { Monitor } from '../types.ts';
import type { Placed, Placing } from './placing.ts';
import type { Reports } from './reports.ts';
import { type EndedTask, outcomeOf, taskFor, unknownOutcome } from './task-forms.ts';

/** Shortest time between two tasks of one monitor and agent, ms. */
const LEAST_MS = 60_000;
const CONCURRENT = 50;
/** Time for a task to reach the agent, and for its answer to come, beside that of the check, ms. */
const WAY_MS = 15_000;
/** Places of one monitor are told apart by what they add to its number. */
const PLACES = 2 ** 32;

export interface TaskChecksParts {
  readonly kernel: Pick<Kernel, 'bus' | 'call' | 'clock' | 'log' | 'system'>;
  readonly known: Pick<KnownMonitors, 'all' | 'isPaused'>;
  readonly placing: Placing;
  readonly monitors: Pick<MonitorStore, 'byIds'>;
  readonly registry: Pick<AgentRegistry, 'known'>;
  readonly reports: Reports;
  readonly secrets: Secrets | undefined;
  readonly tasks: Tasks;
}

/** Checks of agents that take tasks and do not register for monitors. Each monitor is the business of one server. */
export class TaskChecks {
  readonly #parts: TaskChecksParts;
  readonly #runner: Runner;

  constructor(parts: TaskChecksParts) {
    this.#parts = parts;
    this.#runner = new Runner(parts.kernel.clock, () => CONCURRENT);
  }

  /** Takes what is known of monitors, places and servers now. @throws RpcError 103 */
  async update(): Promise<void> {
    const { kernel, known, monitors, placing, secrets } = this.#parts;
    const servers = [kernel.bus.id, ...kernel.bus.servers().map(({ id }) => id)];
    const own = [...known.all()].filter(
      ({ id }) =>
        placing.of(id).some(({ byTasks }) => byTasks) &&
        !known.isPaused(id) &&
        serverOf(id, servers) === kernel.bus.id,
    );
    const jobs: Job[] = [];
    for (const some of slices(own, PAGE_ROWS))
      await gently(await monitors.byIds(some.map(({ id }) => id)), (monitor) => {
        const checked = checkedOf(monitor, secrets);
        if ('problem' in checked) return;
        for (const placed of placing.of(monitor.id))
          if (placed.byTasks) jobs.push(this.#jobOf(checked, placed));
      });
    this.#runner.set(jobs);
  }

  /** Begins what is due. */
  round(): void {
    this.#runner.round();
  }

  end(): void {
    this.#runner.end();
  }

  #jobOf(checked: Checked<Monitor>, placed: Placed): Job {
    const { id, version, interval_s } = checked.monitor;
    return {
      monitor_id: id * PLACES + placed.place_id,
      ...{ version, interval_ms: Math.max(LEAST_MS, interval_s * 1_000) },
      ...{ host: placed.uuid, owner: checked.monitor.owner },
      check: async (planned, signal) => {
        try {
          await this.#check(checked, placed, { planned, signal });
        } catch (error) {
          const { log } = this.#parts.kernel;
          log.error('a check by a task failed', { monitor_id: id, agent_uuid: placed.uuid, error });
        }
        return undefined;
      },
    };
  }

  async #check(
    checked: Checked<Monitor>,
    { uuid }: Placed,
    { planned, signal }: { readonly planned: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { registry, reports } = this.#parts;
    const { monitor, condition } = checked;
    const outcome = await this.#outcome(checked, uuid, planned);
    const agent = registry.known(uuid);
    // An agent that is not connected knows nothing.
    if (!outcome || !agent || signal.aborted) return;
    const judged = judgeOutcome(outcome, condition, monitor.upside_down);
    const ok = outcome.isUnknown ? null : judged.ok;
    await reports.take(agent, [{ monitor: monitor.id, at: planned, ...judged, ok }]);
  }

  async #outcome(
    { monitor, spec }: Checked<Monitor>,
    uuid: string,
    planned: number,
  ): Promise<Outcome | undefined> {
    const hasSecret = Object.keys(monitor.secret).length > 0;
    const form = taskFor(hasSecret && spec.kind === 'http' ? { ...spec, auth: HIDDEN } : spec);
    if ('problem' in form) return unknownOutcome(form.problem);
    const cronSource = `monitor ${monitor.name}`;
    const ended = this.#watch(uuid, monitor.timeout_s * 1_000 + WAY_MS);
    try {
      const order = { agents: [uuid], cronSource, run: planned };
      const [handed] = await this.#parts.tasks.createMany(order, normaliseTaskType(form.task));
      const made = await handed;
      if (made?.id === undefined || !(await ended.of(made.id))) return undefined;
      const row = await this.#read(made.id);
      return row && outcomeOf(spec.kind, row);
    } finally {
      ended.stop();
    }
  }

  /** Listens for the ends of tasks of an agent from now on. */
  #watch(uuid: string, most_ms: number) {
    const { kernel, tasks } = this.#parts;
    const ids = new Set<string>();
    const { promise: over, resolve: end } = Promise.withResolvers<boolean>();
    let wanted: string | undefined;
    const look = (id: Integer) => {
      ids.add(`${id}`);
      if (`${id}` === wanted) end(true);
    };
    const undo = [tasks.whenEnded(uuid, look), kernel.clock.timeout(() => end(false), most_ms)];
    return {
      of(id: Integer): Promise<boolean> {
        wanted = `${id}`;
        if (ids.has(wanted)) end(true);
        return over;
      },
      stop: () => {
        for (const step of undo) step();
      },
    };
  }

  async #read(task_id: Integer): Promise<EndedTask | undefined> {
    const { call, system } = this.#parts.kernel;
    const asked = { task_data_query: { condition: [{ task_id }] } };
    const [row] = (await call('task_query', asked, system)) as EndedTask[];
    return row;
  }
}

/** Stands for secrets of any form: none of them may stand in a task. */
const HIDDEN = { type: 'bearer', token: '' } as const;
