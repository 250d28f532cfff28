import type { Channel, Notify } from '@svc/plugin-notify/api';
import type { Clock, Database, Kernel } from '@svc/plugin-sdk';
import { verdictOf } from '../evaluate/plan.ts';
import type { KnownMonitors } from '../monitors.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import type { Alert, SubjectKind, Transitions } from '../types.ts';
import { store } from './apply.ts';
import { clearOf, type Judgement, judge, type When } from './judge.ts';

/** The disk of the database has a problem below this share of free space. */
const LITTLE = 0.05;
/** Another server that is not replaced is forgotten after this time. */
const DEAD_MS = 86_400_000;
const LOST_MS = 600_000;

/** A problem of this installation. */
export interface Problem {
  readonly kind: SubjectKind;
  readonly subject: string;
  readonly problem:
    | 'channel_failing'
    | 'database_disk'
    | 'reports_lost'
    | 'server_dead'
    | 'cut_off';
  readonly since: number;
  readonly detail: string;
}

export interface ServerParts {
  readonly rules: LoadedRules;
  readonly transitions: Transitions;
  readonly problems: Problems;
}

/** Judges rules about the installation itself; `active` are the alerts of such rules. @throws RpcError 103 */
export async function judgeServer(
  parts: ServerParts,
  when: When,
  active: readonly Alert[],
): Promise<void> {
  const { rules, transitions, problems } = parts;
  const running = rules.slow('server');
  if (running.length === 0) return;
  const found = await problems.find();
  const judged = running.flatMap((loaded): Judgement[] => {
    const { rule, condition } = loaded;
    if (rules.byId(rule.id)?.owner !== null && !rules.applies(rule, 0)) return [];
    const places = new Map(
      found.map((problem) => [`${problem.kind} ${problem.subject} ${problem.problem}`, problem]),
    );
    const alerts = new Map(
      active
        .filter(({ rule_id }) => rule_id === rule.id)
        .map((alert) => [`${alert.subject_kind} ${alert.subject_id} ${alert.part}`, alert]),
    );
    return [...new Set([...places.keys(), ...alerts.keys()])].flatMap((place) => {
      const [problem, alert] = [places.get(place), alerts.get(place)];
      const values = problem
        ? {
            problem: problem.problem,
            lasts_s: Math.max(0, when.at - problem.since) / 1_000,
            detail: problem.detail,
          }
        : { problem: '', lasts_s: 0, detail: '' };
      const key = problem
        ? { subject_kind: problem.kind, subject_id: problem.subject, part: problem.problem }
        : keyOf(alert as Alert);
      const holds = verdictOf(condition, values);
      const clear = problem ? clearOf(loaded, holds, values) : true;
      const detail = problem ? { name: problem.subject, values } : {};
      const look = { loaded, key, alert, condition: holds, clear, detail };
      return judge({ ...look, value: values.lasts_s, since: problem?.since }, when) ?? [];
    });
  });
  await store(transitions, judged);
}

const keyOf = ({ subject_kind, subject_id, part }: Alert) => ({ subject_kind, subject_id, part });

export interface ProblemParts {
  readonly kernel: Pick<Kernel, 'bus' | 'brand'> & { readonly clock: Clock; readonly db: Database };
  readonly notify: Pick<Notify, 'channels'> | undefined;
  readonly monitors: Pick<KnownMonitors, 'isolated'>;
  /** Reports that this server could not store, since its start. */
  readonly lost: () => number;
}

/** Problems of this installation, as this server sees them. */
export class Problems {
  readonly #parts: ProblemParts;
  /** Servers that died, by id, and when; in the order of their deaths. */
  readonly #dead = new Map<string, number>();
  #diskSince: number | undefined;
  #lost: number;
  #lostAt: number | undefined;

  constructor(parts: ProblemParts) {
    this.#parts = parts;
    this.#lost = parts.lost();
    parts.kernel.bus.watch((event) => {
      if (event.kind === 'joined') this.#joined(event.server);
      else if (event.kind === 'left' && event.died)
        this.#dead.set(event.server.id, parts.kernel.clock.now());
    });
  }

  /** @throws RpcError 103 */
  async find(): Promise<Problem[]> {
    const { clock } = this.#parts.kernel;
    const now = clock.now();
    const channels = (await this.#parts.notify?.channels()) ?? [];
    return [
      ...channels.flatMap(failing),
      ...(await this.#disk(now)),
      ...this.#reports(now),
      ...this.#servers(now),
      ...(await this.#isolated()),
    ];
  }

  async #isolated(): Promise<Problem[]> {
    const found = await this.#parts.monitors.isolated();
    return found.map(({ server: id, since }) => ({
      ...server(id.slice(0, 8)),
      problem: 'cut_off',
      since,
      detail: 'it cannot reach the outside: its checks say nothing',
    }));
  }

  /** A server that joins replaces the one that has been dead longest. */
  #joined({ id }: { readonly id: string }): void {
    const [oldest] = this.#dead.keys();
    if (!this.#dead.delete(id) && oldest !== undefined) this.#dead.delete(oldest);
  }

  async #disk(now: number): Promise<Problem[]> {
    const { space } = this.#parts.kernel.db;
    const [size, free] = [await space?.disk(), await space?.free?.()];
    const isFull = size !== undefined && free !== undefined && free < size * LITTLE;
    this.#diskSince = isFull ? (this.#diskSince ?? now) : undefined;
    if (this.#diskSince === undefined) return [];
    const detail = `${Math.floor((free ?? 0) / 2 ** 20)} MiB are free on the disk of the database`;
    return [{ ...server('database'), problem: 'database_disk', since: this.#diskSince, detail }];
  }

  #reports(now: number): Problem[] {
    const lost = this.#parts.lost();
    const more = lost - this.#lost;
    if (more > 0) [this.#lost, this.#lostAt] = [lost, now];
    if (this.#lostAt === undefined || now - this.#lostAt > LOST_MS) return [];
    const detail = `${lost} reports could not be stored since the start`;
    return [{ ...server('reports'), problem: 'reports_lost', since: this.#lostAt, detail }];
  }

  #servers(now: number): Problem[] {
    for (const [id, at] of this.#dead) if (now - at > DEAD_MS) this.#dead.delete(id);
    return [...this.#dead].map(([id, since]) => ({
      ...server(id.slice(0, 8)),
      problem: 'server_dead',
      since,
      detail: 'it was not heard any more, and said no goodbye',
    }));
  }
}

const server = (subject: string) => ({ kind: 'server', subject }) as const;

const failing = ({ name, enable, failing_since }: Channel): Problem[] =>
  enable && failing_since !== null
    ? [
        {
          kind: 'channel',
          subject: name,
          problem: 'channel_failing',
          since: failing_since,
          detail: `messages through the channel '${name}' fail`,
        },
      ]
    : [];
