import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kernel, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Family } from './api.ts';
import { FIELDS } from './fields.ts';
import { headText, labelText } from './text.ts';
import { TRAFFIC, trafficOf } from './traffic.ts';

/** Agents in one turn of the event loop: about a millisecond. */
const CHUNK = 50;
/** Names and tags of agents are cut here; people write them. */
const MOST_CHARACTERS = 64;
const MOST_TAGS = 256;

/** Row of `agent-uuid_list`. */
interface Listed {
  readonly uuid: string;
  readonly name: string | null;
  readonly tags: readonly string[] | null;
  readonly version: string | null;
  /** Unix ms; null: nothing was reported, or the caller has no right to summaries of this agent. */
  readonly last_seen: number | null;
}

type Row = { readonly uuid: string } & { readonly [field: string]: unknown };

const INFO: Omit<Family, 'read'> = {
  name: 'agent_info',
  type: 'gauge',
  help: 'Agents, with their tags between commas; always 1.',
};
const HEARD: Omit<Family, 'read'> = {
  name: 'agent_last_report_time_seconds',
  type: 'gauge',
  unit: 'seconds',
  help: 'When the server heard of the agent last, Unix time.',
};

export interface AgentTexts {
  readonly kernel: Pick<Kernel, 'call' | 'clock'>;
  readonly prefix: string;
  /** An agent that has said nothing for so long has no values. */
  readonly silence_ms: () => number;
}

/**
 * The newest values of all agents that this caller may see, in pieces of OpenMetrics text, composed in turns of the event loop.
 * @throws RpcError 102 without a right to list agents, 103
 */
export async function agentTexts(
  { kernel, prefix, silence_ms }: AgentTexts,
  caller: Principal,
): Promise<string[]> {
  const agents = (await kernel.call('agent-uuid_list', {}, caller)) as readonly Listed[];
  const columns = FIELDS.map(() => [] as string[]);
  const info: string[] = [];
  const heard: string[] = [];
  const traffic = new Map(TRAFFIC.map(({ name }) => [name, [] as string[]]));
  const since = kernel.clock.now() - silence_ms();
  for (let from = 0; from < agents.length; from += CHUNK) {
    const some = agents.slice(from, from + CHUNK);
    const labels = new Map(some.map((agent) => [agent.uuid, ownLabels(agent)]));
    for (const agent of some) {
      info.push(`${prefix}_${INFO.name}${infoLabels(agent)} 1\n`);
      const { last_seen, uuid } = agent;
      if (last_seen !== null)
        heard.push(`${prefix}_${HEARD.name}${labels.get(uuid)} ${last_seen / 1_000}\n`);
    }
    const present = some.filter(({ last_seen }) => last_seen !== null && last_seen >= since);
    const rows = await newest(kernel, present, caller);
    for (const row of rows) addRow(columns, prefix, row, labels.get(row.uuid) ?? '');
    const seen = rows.map(({ uuid }) => uuid);
    for (const [name, uuid, value] of await trafficOf(kernel, seen, caller))
      traffic.get(name)?.push(`${prefix}_${name}${labels.get(uuid) ?? ''} ${value}\n`);
    await nextTurn();
  }
  const texts = [headText(`${prefix}_${INFO.name}`, INFO), ...info];
  texts.push(headText(`${prefix}_${HEARD.name}`, HEARD), ...heard);
  for (const family of TRAFFIC) {
    const values = traffic.get(family.name) ?? [];
    if (values.length > 0) texts.push(headText(`${prefix}_${family.name}`, family), ...values);
  }
  for (const [at, field] of FIELDS.entries())
    texts.push(headText(`${prefix}_${field.name}`, field), ...(columns[at] as string[]));
  return texts;
}

const ownLabels = ({ uuid, name }: Listed): string =>
  labelText({ agent: uuid, ...(name ? { name: name.slice(0, MOST_CHARACTERS) } : {}) });

const infoLabels = ({ uuid, name, tags, version }: Listed): string =>
  labelText({
    agent: uuid,
    name: (name ?? '').slice(0, MOST_CHARACTERS),
    tags: tags?.length ? `,${tags.join(',')}`.slice(0, MOST_TAGS).concat(',') : '',
    version: (version ?? '').slice(0, MOST_CHARACTERS),
  });

/** The newest summaries of these agents, which the caller may read. */
async function newest(
  kernel: Pick<Kernel, 'call'>,
  agents: readonly Listed[],
  caller: Principal,
): Promise<readonly Row[]> {
  if (agents.length === 0) return [];
  const params = { uuids: agents.map(({ uuid }) => uuid), fields: [] };
  const method = 'agent_dynamic_summary_multi_last_query';
  return (await kernel.call(method, params, caller)) as readonly Row[];
}

function addRow(columns: string[][], prefix: string, row: Row, labels: string): void {
  for (let at = 0; at < FIELDS.length; at++) {
    const { field, name, type, factor } = FIELDS[at] as (typeof FIELDS)[number];
    const value = row[field];
    // Integers that no double holds come as BigInt.
    if (typeof value !== 'number' && typeof value !== 'bigint') continue;
    const suffix = type === 'counter' ? '_total' : '';
    const shown = factor === undefined ? value : Number((Number(value) * factor).toPrecision(12));
    (columns[at] as string[]).push(`${prefix}_${name}${suffix}${labels} ${shown}\n`);
  }
}

/** Tells whether the server has no agents, or the caller no right to list any: a scrape goes on without them. */
export const hasNoAgents = (error: unknown): boolean =>
  error instanceof RpcError && (error.code === 102 || error.code === -32601);
