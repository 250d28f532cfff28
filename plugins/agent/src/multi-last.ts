import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { canonicalUuid, RpcError } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import type { SqlValue } from '@svc/plugin-sdk/sql';
import { EMPTY_ARRAY, rowJson, type Selection } from './fields.ts';
import type { Kind, Row } from './kinds.ts';
import type { LastValues } from './last-values.ts';

/** Length up to which a text is copied into its message: that costs less than sending it as a piece of its own. */
const LONG = 8 * 1024;

/** Distinct UUIDs in first-seen order, in their canonical spelling. */
export const distinct = (uuids: readonly string[]): string[] => [
  ...new Set(uuids.map(canonicalUuid)),
];

/** The newest row of each agent as one JSON array in the order of the request; agents without data are left out. */
export type MultiLast = (
  uuids: readonly string[],
  selection: Selection,
) => RawJson | Promise<RawJson>;

/** @throws RpcError 105 when one of the agents is not registered, 103 */
export function multiLast(kind: Kind, registry: AgentRegistry, last: LastValues): MultiLast {
  const isSummary = kind.name === 'summary';
  const textOf = isSummary ? remembered(kind) : plain(kind);
  // Lists that are kept are asked for again; others go with their call.
  const answers = new WeakMap<readonly string[], Answered>();

  const answer = async (uuids: readonly string[], selection: Selection): Promise<RawJson> => {
    const ids: number[] = [];
    for (const uuid of uuids) {
      const agent = registry.known(uuid) ?? (await registry.find(uuid));
      if (!agent) throw RpcError.notFound(`Agent UUID not found in monitoring registry: ${uuid}`);
      ids.push(agent.id);
    }
    const rows = last.get(ids);
    return join(uuids, rows instanceof Promise ? await rows : rows, selection);
  };

  const join = (uuids: readonly string[], rows: readonly (Row | null)[], selection: Selection) => {
    const cached = answers.get(uuids);
    if (cached?.set === selection.set && rows.every((row, index) => row === cached.rows[index]))
      return cached.answer;
    const texts: string[] = [];
    for (let index = 0; index < uuids.length; index++) {
      const row = rows[index];
      if (row) texts.push(textOf(uuids[index] as string, row, selection));
    }
    const text = `[${texts.join(',')}]`;
    if (!isSummary) return new RawJson(text);
    // Bytes are sent as they are, however often they are asked for.
    const answer = new RawJson(text.length > LONG ? Buffer.from(text) : text);
    answers.set(uuids, { rows, set: selection.set, answer });
    return answer;
  };

  return (uuids, selection) => (uuids.length === 0 ? EMPTY_ARRAY : answer(uuids, selection));
}

interface Answered {
  readonly rows: readonly (Row | null)[];
  readonly set: number;
  readonly answer: RawJson;
}

type TextOf = (uuid: string, row: Row, selection: Selection) => string;

/** Parts that are text already only have to be joined. */
const plain =
  (kind: Kind): TextOf =>
  (uuid, row, selection) =>
    rowJson(kind, uuid, row, selection);

/** Caches the latest text of each agent: front ends ask for the same fields of every agent each second. */
function remembered(kind: Kind): TextOf {
  const texts = new Map<SqlValue, { row: Row; set: number; text: string }>();
  return (uuid, row, selection) => {
    const cached = texts.get(row[0] as SqlValue);
    if (cached?.row === row && cached.set === selection.set) return cached.text;
    const text = rowJson(kind, uuid, row, selection);
    texts.set(row[0] as SqlValue, { row, set: selection.set, text });
    return text;
  };
}
