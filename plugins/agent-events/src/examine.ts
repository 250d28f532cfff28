import { type Database, type Finding, finding } from '@svc/plugin-sdk';
import { DAY_MS } from './sightings.ts';
import type { Detail } from './store.ts';
import { type Census, census, refusedSince } from './store-examine.ts';

/** Refused agents that are named. */
const NAMED = 10;
const MINUTE_MS = 60_000;

export interface Parts {
  readonly db: Database;
  /** Unix ms. */
  readonly now: number;
  readonly uuidSql: (column: string) => string;
  /** Tells whether a report of this agent was stored after this time. */
  readonly heardSince: (uuid: string, time: number) => Promise<boolean>;
}

/** Returns what `doctor` reports of agents: those that are refused, and whether their addresses are those of a proxy. */
export async function examine(parts: Parts): Promise<Finding[]> {
  const counted = await census(parts.db);
  const found = [...(await refusals(parts)), ...proxy(counted)];
  if (found.some(({ area }) => area === 'agents')) return found;
  const message = `No report was refused in the last 24 h; ${counted.here} of ${counted.agents} agents were reporting when a server last looked.`;
  return [...found, finding('agents', 'ok', message)];
}

async function refusals({ db, now, uuidSql, heardSince }: Parts): Promise<Finding[]> {
  const refused = await refusedSince(db, uuidSql, now - DAY_MS, NAMED + 1);
  const found: Finding[] = [];
  for (const { uuid, time, detail, address } of refused.slice(0, NAMED)) {
    const { code = 0, reason = '' } = JSON.parse(detail) as Detail;
    const isBack = uuid !== null && (await heardSince(uuid, time));
    const where = address === null ? '' : `, last seen at ${address},`;
    const since = isBack ? 'others came since' : 'none came since';
    const minutes = Math.round((now - time) / MINUTE_MS);
    const message = `A report of ${uuid}${where} was refused ${minutes} min ago, ${since}: ${reason}.`;
    const advice = remedies[code] ?? 'The log of the agent has the report that was refused.';
    found.push(finding('agents', isBack ? 'advice' : 'problem', message, advice));
  }
  if (refused.length > NAMED)
    found.push(finding('agents', 'problem', 'Reports of more agents were refused.'));
  return found;
}

function proxy({ agents, addresses, address }: Census): Finding[] {
  if (agents < 2 || addresses !== 1 || !isNear(address)) return [];
  const message = `All ${agents} agents seem to report from ${address}: is it a proxy that is not trusted?`;
  const advice = `If so, list it: trusted_proxies = ["${address}"].`;
  return [finding('proxies', 'advice', message, advice)];
}

/** Remedies by the code of the error. */
const remedies: { readonly [code: number]: string } = {
  101: "The token in the agent's configuration is not complete: copy it anew.",
  102: 'Its token is wrong, has ended, or lacks the right: give the agent another one, or ask token_explain.',
  103: 'The database refused it: see the log of the server.',
};

/** An address of this machine or of a private network. */
const isNear = (address: string): boolean =>
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd])/.test(address);
