import type { Call, Kernel, Outcome, RpcError } from '@svc/plugin-sdk';
import { isTold } from '@svc/plugin-sdk/util';

const PERIOD_MS = 60_000;
/** Time without an addition after which a counter is forgotten. */
const KEPT_MS = 60 * PERIOD_MS;
/** Addresses with a counter of their own; more of them are counted as one. */
const MAX_COUNTERS = 1000;
const OTHERS = 'other addresses';
/** Agents that one line names. */
const MAX_AGENTS = 10;
const MAX_CHARS = 200;

/** Refused reports of one address. */
interface Counter {
  rejected: number;
  /** Number of those that are logged. */
  logged: number;
  /** Unix ms. */
  loggedAt: number;
  /** Agents with refused reports since the last line in the log. */
  readonly agents: Set<string>;
  method: string;
  reason: string;
  /** Key of the sender's token; empty where the credential was wrong. */
  tokenKey: string;
}

/**
 * Counts reports that were refused and logs them, at once and then once a minute for each address while new ones come: an
 * operator sees whose credential is wrong, and whose figures are not finite (monitoring-data.md §4).
 */
export function watchRejections({ clock, hooks, every, log }: Kernel): void {
  const counters = new Map<string, Counter>();

  hooks.settled.tap((call: Call, { error }: Outcome) => {
    if (error && call.method.startsWith('agent_report_') && !isTold(error)) count(call, error);
  });

  function count(call: Call, error: RpcError): void {
    const address = counterOf(call.address || call.transport);
    const counter = counters.get(address) ?? newCounter();
    counters.set(address, counter);
    counter.rejected++;
    if (counter.agents.size < MAX_AGENTS) counter.agents.add(agentOf(call.params));
    counter.method = call.method;
    counter.reason = reasonOf(error);
    counter.tokenKey = call.caller.id;
    logCounter(address, counter);
  }

  const counterOf = (address: string) =>
    counters.has(address) || counters.size < MAX_COUNTERS ? address : OTHERS;

  function logCounter(address: string, counter: Counter): void {
    const { rejected, logged, loggedAt, agents, method, reason, tokenKey } = counter;
    const now = clock.now();
    if (rejected === logged || now - loggedAt < PERIOD_MS) return;
    log.warn('reports were rejected', {
      address,
      agent_uuid: [...agents].join(', '),
      ...(tokenKey && { token_key: tokenKey }),
      method,
      reason,
      since_last: rejected - logged,
      rejected,
    });
    counter.logged = rejected;
    counter.loggedAt = now;
    agents.clear();
  }

  every('log rejected reports', PERIOD_MS, () => {
    for (const [address, counter] of counters) {
      logCounter(address, counter);
      if (clock.now() - counter.loggedAt >= KEPT_MS) counters.delete(address);
    }
  });
}

const newCounter = (): Counter => ({
  rejected: 0,
  logged: 0,
  loggedAt: Number.NEGATIVE_INFINITY,
  agents: new Set(),
  method: '',
  reason: '',
  tokenKey: '',
});

/** The agent that the report names, as far as it is one. */
function agentOf(params: unknown): string {
  for (const value of Object.values(params ?? {})) {
    const uuid: unknown = (value as { uuid?: unknown } | null)?.uuid;
    if (typeof uuid === 'string' && /^[\da-f{}:urnid-]{32,45}$/i.test(uuid)) return uuid;
  }
  return 'unknown';
}

const reasonOf = ({ message, data }: RpcError): string =>
  (typeof data === 'string' ? `${message}: ${data}` : message).slice(0, MAX_CHARS);
