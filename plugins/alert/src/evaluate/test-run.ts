import { type Condition, compile } from '@svc/conditions';
import type { BucketRow, ReportBuckets } from '@svc/plugin-agent/api';
import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import {
  type Auth,
  type Clock,
  canonicalUuid,
  described,
  type Methods,
  optional,
  type Principal,
  RpcError,
  type Static,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { mayRule } from '../rules/rights.ts';
import { NewRule, Subject, Time } from '../schemas.ts';
import type { LoadedRule, Machines, Rule, RuleScope } from '../types.ts';
import { planOf } from './plan.ts';
import { type Episode, messagesOf, play } from './play.ts';
import { VOCABULARIES } from './variables.ts';
import { isShort } from './windows.ts';

const RAW_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Range that is read second by second. */
const LONGEST_RAW_MS = 2 * 3_600_000;
const LONGEST_MS = 31 * DAY_MS;
const MOST_EVALUATIONS = 2_000_000;
const MOST_AGENTS = 1_000;
const MOST_EPISODES = 1_000;
/** Time after which no further agent is read, ms. */
const PATIENCE_MS = 20_000;

export interface TestParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly registry: AgentRegistry;
  readonly machines: Machines;
  readonly buckets: Pick<ReportBuckets, 'summary'>;
}

const Result = Type.Object({
  episodes: Type.Array(
    Type.Object({
      subject: Subject,
      part: Type.String(),
      opened_at: Time(),
      closed_at: Type.Union([Time(), Type.Null()]),
      max: Type.Union([Type.Number(), Type.Null()], {
        description: 'Largest value meanwhile; of a condition with `<` the least.',
      }),
    }),
    { description: `The oldest ${MOST_EPISODES}.` },
  ),
  messages: Type.Integer({ description: 'Messages that the default policy would have made.' }),
  evaluated: Type.Integer({ description: 'Evaluations.' }),
  source: Type.Enum(['raw', 'minutes'], {
    description: 'Steps of a second, or longer ones with averages.',
  }),
  cut: Type.Boolean({
    description:
      'Steps are longer than a minute, or not all machines or episodes are in the answer.',
  }),
});
type Answer = Static<typeof Result>;

/** `alert_rule_test`. */
export function addTestMethod(methods: Methods, parts: TestParts): void {
  methods.add('alert_rule_test', {
    summary: 'What a rule would have done: plays it over stored summaries.',
    description:
      'Rules of source `machine` without `traffic`, `predict`, `expires_in_days`, `cores` and windows over an hour. Only machines whose summaries the caller may read are played. Up to two hours are played second by second, longer ranges by averages of minutes.',
    addition: true,
    params: {
      rule: described(NewRule, 'The rule, as `alert_rule_create` takes it.'),
      from: Time('Unix ms.'),
      to: Time('Unix ms; at most 31 days after `from`.'),
      agents: optional(
        Type.Array(Uuid, {
          minItems: 1,
          maxItems: MOST_AGENTS,
          description: 'Only these of its machines.',
        }),
      ),
    },
    result: Result,
    prepare: ({ rule, from, to, agents }) => ({
      loaded: loadedOf(rule),
      ...rangeOf(from, Math.min(to, parts.clock.now())),
      only: agents ? new Set(agents.map(canonicalUuid)) : undefined,
    }),
    access: { needs: ({ loaded }) => mayRule('read', loaded.rule.scope) },
    async handle({ loaded, from, to, only }, { caller, signal }) {
      const agents = await agentsOf(parts, loaded.rule.scope, { only, caller });
      return new TestRun(parts, { loaded, from, to, agents }).answer(signal, caller.id);
    },
  });
}

/** @throws RpcError 108 */
function rangeOf(from: number, to: number) {
  if (to <= from) throw RpcError.invalid('from must be before to, and in the past');
  if (to - from > LONGEST_MS) throw RpcError.invalid('the range must be at most 31 days');
  return { from, to };
}

/** Members of a rule that do not matter when it is played. */
const UNIMPORTANT = {
  id: 0,
  enable: true,
  severity: 'warning',
  notify: true,
  policy: null,
  repeat_s: null,
  summary: '',
  runbook: '',
  labels: {},
  shipped: null,
  owner: null,
  version: 0,
  meaning: 0,
} as const;

/** @throws RpcError 108 for a rule that cannot be played */
function loadedOf(rule: Static<typeof NewRule>): LoadedRule {
  if (rule.source !== 'machine') {
    throw RpcError.invalid('rule.source must be machine: others have no stored values to play');
  }
  const { scope, for_s, clear_for_s, clear: end } = rule;
  const condition = read(rule.condition, 'rule.condition');
  const clear = end === undefined || end === null ? undefined : read(end, 'rule.clear');
  const played: Rule = {
    ...UNIMPORTANT,
    name: rule.name,
    source: rule.source,
    scope: scope as RuleScope,
    condition: rule.condition,
    clear: end ?? null,
    for_s: for_s ?? 0,
    clear_for_s: clear_for_s ?? 0,
  };
  return { rule: played, condition, clear };
}

function read(text: string, where: string): Condition {
  const result = compile(text, VOCABULARIES.machine);
  if ('faults' in result) throw RpcError.invalid(`${where}: ${result.faults[0]?.message}`);
  const { condition } = result;
  if (!condition.windows.every(isShort)) {
    throw RpcError.invalid(`${where}: traffic, predict and windows over an hour cannot be played`);
  }
  const unknown = condition.variables.find(
    (name) => name === 'expires_in_days' || name === 'cores',
  );
  if (unknown) throw RpcError.invalid(`${where}: ${unknown} is not stored, so it cannot be played`);
  return condition;
}

interface Chosen {
  readonly agents: readonly Agent[];
  readonly isCut: boolean;
}

/** Agents of a scope whose summaries the caller may read. */
async function agentsOf(
  { auth, machines, registry }: TestParts,
  scope: RuleScope,
  { only, caller }: { readonly only: ReadonlySet<string> | undefined; readonly caller: Principal },
): Promise<Chosen> {
  const named = 'all' in scope ? undefined : new Set((scope.agents ?? []).map(canonicalUuid));
  const tags = 'all' in scope ? [] : (scope.tags ?? []);
  const isInScope = ({ uuid }: Agent) =>
    !named || named.has(uuid) || machines.tagsOf(uuid).some((tag) => tags.includes(tag));
  const agents: Agent[] = [];
  for (const agent of registry.list()) {
    if (agent.soft_delete || (only && !only.has(agent.uuid)) || !isInScope(agent)) continue;
    if (!(await auth.allows(caller, rightTo(agent)))) continue;
    if (agents.length === MOST_AGENTS) return { agents, isCut: true };
    agents.push(agent);
  }
  return { agents, isCut: false };
}

const rightTo = ({ uuid }: Agent) => ({
  scopes: [{ agent_uuid: uuid }],
  permissions: [{ dynamic_monitoring_summary: 'read' }],
  denied: `No right to read summaries of ${uuid}`,
});

interface Run {
  readonly loaded: LoadedRule;
  readonly from: number;
  readonly to: number;
  readonly agents: Chosen;
}

/** Steps in which a range is played, ms: as short as the bound of evaluations allows. */
export function stepOf(range_ms: number, agents: number): number {
  const least = range_ms <= LONGEST_RAW_MS ? RAW_MS : MINUTE_MS;
  if ((range_ms / least) * agents <= MOST_EVALUATIONS) return least;
  const minutes = Math.ceil((range_ms * agents) / MOST_EVALUATIONS / MINUTE_MS);
  return minutes * MINUTE_MS;
}

class TestRun {
  readonly #parts: TestParts;
  readonly #run: Run;
  readonly #step_ms: number;
  readonly #fields: readonly string[];
  #evaluated = 0;

  constructor(parts: TestParts, run: Run) {
    this.#parts = parts;
    this.#run = run;
    this.#step_ms = stepOf(run.to - run.from, run.agents.agents.length);
    const { measured, windowed } = planOf([run.loaded]);
    const columns = [...measured, ...windowed].flatMap((one) => one.columns);
    // A condition about names alone is judged at each report, too.
    this.#fields = [...new Set(columns.length > 0 ? columns : (['cpu_usage'] as const))];
  }

  /** @throws RpcError 103, -32008 */
  async answer(signal: AbortSignal, share: string): Promise<Answer> {
    const { clock } = this.#parts;
    const { agents, isCut } = this.#run.agents;
    const end = clock.monotonic() + PATIENCE_MS;
    const found: { readonly agent: Agent; readonly episode: Episode }[] = [];
    let played = 0;
    for (const agent of agents) {
      if (signal.aborted || clock.monotonic() > end) break;
      const episodes = await this.#play(agent, { signal, share });
      for (const episode of episodes) found.push({ agent, episode });
      played++;
    }
    found.sort((a, b) => a.episode.opened_at - b.episode.opened_at);
    return {
      episodes: found
        .slice(0, MOST_EPISODES)
        .map(({ agent, episode }) => this.#shown(agent, episode)),
      messages: messagesOf(found.map(({ episode }) => episode)),
      evaluated: this.#evaluated,
      source: this.#step_ms === RAW_MS ? 'raw' : 'minutes',
      cut:
        isCut ||
        this.#step_ms > MINUTE_MS ||
        played < agents.length ||
        found.length > MOST_EPISODES,
    };
  }

  async #play(
    agent: Agent,
    how: { readonly signal: AbortSignal; readonly share: string },
  ): Promise<Episode[]> {
    const { loaded, from, to } = this.#run;
    const ask = { id: agent.id, from, to, step: this.#step_ms, ...how };
    const rows: BucketRow[] = [];
    for await (const some of this.#parts.buckets.summary(ask, this.#fields)) rows.push(...some);
    rows.sort((a, b) => a.at - b.at);
    this.#evaluated += rows.length;
    const { machines } = this.#parts;
    const facts = {
      name: machines.nameOf(agent.uuid),
      tags: machines.tagsOf(agent.uuid),
      region: machines.regionOf(agent.uuid),
      cores: undefined,
      offset_ms: 0,
    };
    const plan = planOf([loaded]);
    return play(rows, { loaded, plan, fields: this.#fields, facts, from, step_ms: this.#step_ms });
  }

  #shown({ uuid }: Agent, episode: Episode): Answer['episodes'][number] {
    const subject = { kind: 'agent', id: uuid, name: this.#parts.machines.nameOf(uuid) } as const;
    return { subject, part: '', ...episode };
  }
}
