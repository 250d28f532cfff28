import type { Kernel } from '@svc/plugin-sdk';
import { parseJson, stringifyJson } from '@svc/plugin-sdk/json';
import type { ConfigWarning } from '@svc/plugin-sdk/kernel';
import { limitFault } from './limits.ts';
import { GLOBAL } from './names.ts';
import type { Reads } from './store/reads.ts';

const MAX_BYTES = 2 ** 20;
/** Faulty limits that are named. */
const NAMED = 100;

/**
 * Tells the operator what the keys `database_limit_*` do in vain, for an earlier version took any value, and where they
 * would have to stand while there are tables that they limit.
 */
export function warnOfLimits(
  { hooks, signal }: Pick<Kernel, 'hooks' | 'signal'>,
  reads: Reads,
  limitsTables: () => boolean,
): void {
  hooks.warnings.tap(async (found) => {
    const limits = { maxBytes: MAX_BYTES, signal, share: '' };
    const globals = listOf(await reads.existing([GLOBAL], limits));
    if (globals.length === 0 && limitsTables()) found.push(NO_GLOBAL);
    const entries = listOf(await reads.limits(signal)) as [string, string, unknown][];
    const faults = entries.flatMap(([namespace, key, value]) => {
      const fault = limitFault(namespace, key, stringifyJson(value));
      return fault === undefined ? [] : [adviceOf(`kv: ${namespace}: ${key}`, fault)];
    });
    found.push(...faults.slice(0, NAMED));
  });
}

const listOf = ({ text }: Awaited<ReturnType<Reads['existing']>>) =>
  parseJson(Buffer.from(text as string).toString()) as unknown[];

const adviceOf = (key: string, fault: string): ConfigWarning => ({
  kind: 'advice',
  key,
  message: `${key} has no effect: ${fault}`,
});

const NO_GLOBAL: ConfigWarning = {
  kind: 'advice',
  key: `kv: ${GLOBAL}`,
  message: `the key-value namespace '${GLOBAL}' does not exist yet, so no limit database_limit_* can be set for all agents: create it with kv_create, as dashboards do`,
};
