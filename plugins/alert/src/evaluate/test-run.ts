import type { Coming } from '@svc/plugin-agent-events/api';
import type { Agent } from '@svc/plugin-agent-uuid/api';
import {
  canonicalUuid,
  described,
  type Methods,
  optional,
  RpcError,
  type Static,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { mayRule } from '../rules/rights.ts';
import { NewRule, Subject, Time } from '../schemas.ts';
import type { LoadedRule } from '../types.ts';
import { Budget, meteredRule } from './metered.ts';
import { kindOf } from './parts.ts';
import { planOf } from './plan.ts';
import { type Episode, messagesOf } from './play.ts';
import { type Chosen, previewAgents } from './preview/agents.ts';
import { playMachine } from './preview/machine.ts';
import { newestDisks, playParts } from './preview/parts.ts';
import { playPresence } from './preview/presence.ts';
import { previewRule } from './preview/rule.ts';
import { MINUTE_MS, MOST_EVALUATIONS, stepOf } from './preview/steps.ts';
import type { Ask, Played, PreviewParts } from './preview/types.ts';
import { readFacts } from './stored-facts.ts';

const DAY_MS = 86_400_000;
const LONGEST_MS = 31 * DAY_MS;
const MOST_AGENTS = 1_000;
const MOST_EPISODES = 1_000;
/** Time after which no further agent is read, ms. */
const PATIENCE_MS = 20_000;
/** Time of all evaluations, ms. */
const BUDGET_MS = 5_000;
/** Parts of a machine that steps are chosen for. */
const PARTS_EACH = 4;

const Result = Type.Object({
  episodes: Type.Array(
    Type.Object({
      subject: Subject,
      part: Type.String(),
      opened_at: Time(),
      closed_at: Type.Union([Time(), Type.Null()]),
      max: Type.Union([Type.Number(), Type.Null()], {
        description: 'Largest value meanwhile. A condition with `<` has the least value here.',
      }),
    }),
    { description: `The oldest ${MOST_EPISODES} episodes.` },
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
export function addTestMethod(methods: Methods, parts: PreviewParts): void {
  methods.add('alert_rule_test', {
    summary: 'Plays a rule over stored reports, and tells what it would have done.',
    description:
      'Plays rules of the sources `part` and `presence`, and rules of source `machine` without `traffic`, `predict` and windows over an hour; of cores and ends of contracts what is known now counts. Only machines whose values the caller may read are played. Up to two hours are played second by second, longer ranges by averages of minutes or of longer steps. Disks that rules leave out now are left out.',
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
      loaded: previewRule(rule),
      ...rangeOf(from, Math.min(to, parts.clock.now())),
      only: agents ? new Set(agents.map(canonicalUuid)) : undefined,
    }),
    access: { needs: ({ loaded }) => mayRule('read', loaded.rule.scope) },
    async handle({ loaded, from, to, only }, { caller, signal }) {
      const agents = await previewAgents(parts, loaded, { only, caller });
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

interface Run {
  readonly loaded: LoadedRule;
  readonly from: number;
  readonly to: number;
  readonly agents: Chosen;
}

interface Found {
  readonly agent: Agent;
  readonly part: string;
  readonly episode: Episode;
}

type How = Pick<Ask, 'signal' | 'share'>;

class TestRun {
  readonly #parts: PreviewParts;
  readonly #run: Run;
  readonly #step_ms: number;
  readonly #found: Found[] = [];
  #comings: ReadonlyMap<number, readonly Coming[]> = new Map();
  readonly #budget = new Budget(BUDGET_MS);
  #evaluated = 0;
  #isCut: boolean;

  constructor(parts: PreviewParts, run: Run) {
    const { from, to, agents } = run;
    const loaded = meteredRule(run.loaded, this.#budget);
    this.#parts = parts;
    this.#run = { ...run, loaded };
    this.#isCut = agents.isCut;
    const each = loaded.rule.source === 'part' ? PARTS_EACH : 1;
    this.#step_ms = stepOf(to - from, agents.agents.length * each);
  }

  /** @throws RpcError 103, -32008 */
  async answer(signal: AbortSignal, share: string): Promise<Answer> {
    await this.#playAll({ signal, share });
    const found = this.#found.sort((a, b) => a.episode.opened_at - b.episode.opened_at);
    return {
      episodes: found.slice(0, MOST_EPISODES).map((one) => this.#shown(one)),
      messages: messagesOf(found.map(({ episode }) => episode)),
      evaluated: this.#evaluated,
      source: this.#step_ms < MINUTE_MS ? 'raw' : 'minutes',
      cut: this.#isCut || this.#step_ms > MINUTE_MS || found.length > MOST_EPISODES,
    };
  }

  async #playAll(how: How): Promise<void> {
    const { clock, history } = this.#parts;
    const { from, to, loaded } = this.#run;
    const { agents } = this.#run.agents;
    const end = clock.monotonic() + PATIENCE_MS;
    if (loaded.rule.source === 'presence') {
      const ids = agents.map(({ id }) => id);
      this.#comings = await history.comings(ids, from, to);
    }
    for (const agent of agents) {
      const isEnough = this.#evaluated >= MOST_EVALUATIONS || this.#budget.isSpent;
      if (how.signal.aborted || isEnough || clock.monotonic() > end) {
        this.#isCut = true;
        return;
      }
      const { places, evaluated, isCut } = await this.#play(agent, how);
      this.#evaluated += evaluated;
      this.#isCut ||= isCut || this.#budget.isSpent;
      for (const { part, episodes } of places)
        for (const episode of episodes) this.#found.push({ agent, part, episode });
    }
  }

  async #play(agent: Agent, how: How): Promise<Played> {
    const { buckets, kernel } = this.#parts;
    const { loaded } = this.#run;
    const ask = await this.#askOf(agent, how);
    if (loaded.rule.source === 'presence')
      return playPresence(this.#comings.get(agent.id) ?? [], ask);
    const kind = loaded.rule.source === 'part' ? kindOf(loaded) : undefined;
    if (!kind) return playMachine(buckets, ask);
    const disks = kind === 'disk' ? await newestDisks(kernel, agent.uuid) : new Map();
    return playParts(buckets, kind, { ...ask, disks });
  }

  async #askOf(agent: Agent, how: How): Promise<Ask> {
    const { loaded, from, to } = this.#run;
    // How many cores it had is not stored: it counts as if it always had those of now.
    const names = planOf([loaded]).facts.filter((name) => name === 'cores');
    const factsOf = await readFacts(this.#parts, names, [agent]);
    const factsAt = (at: number) => factsOf(agent, at);
    const most = MOST_EVALUATIONS - this.#evaluated;
    return { agent, loaded, factsAt, from, to, step_ms: this.#step_ms, most, ...how };
  }

  #shown({ agent: { uuid }, part, episode }: Found): Answer['episodes'][number] {
    const subject = { kind: 'agent', id: uuid, name: this.#parts.machines.nameOf(uuid) } as const;
    return { subject, part, ...episode };
  }
}
