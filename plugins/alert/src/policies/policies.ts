import { RpcError, type Static } from '@svc/plugin-sdk';
import { LEAST_REPEAT_S } from '../dispatch/schedule.ts';
import type { Policy } from '../types.ts';
import { demandZone } from '../windows/times.ts';
import type { PolicySettings } from './schemas.ts';
import { DEFAULT_POLICY, type NewPolicy, type PolicyStore } from './store.ts';

const DEFAULTS = {
  steps: [],
  group_by: 'rule',
  wait_s: 10,
  interval_s: 60,
  repeat_s: { critical: 14_400 },
  quiet: null,
  send_close: true,
} as const satisfies Omit<NewPolicy, 'name' | 'owner'>;

/** The policies, in memory. */
export class Policies {
  readonly #store: PolicyStore;
  #byName: ReadonlyMap<string, Policy> = new Map();

  constructor(store: PolicyStore) {
    this.#store = store;
  }

  /** Makes the policy `default` where the table has none; else it writes nothing, because the disk may be full. @throws RpcError 103 */
  async makeDefault(now: number): Promise<void> {
    if (this.#byName.has(DEFAULT_POLICY)) return;
    await this.#store.makeDefault({ name: DEFAULT_POLICY, owner: null, ...DEFAULTS }, now);
    await this.reload();
  }

  /** Reads the table again. @throws RpcError 103 */
  async reload(): Promise<void> {
    this.#byName = new Map((await this.#store.all()).map((policy) => [policy.name, policy]));
  }

  /** The policy of a rule; `default` where the rule names none, or one that has gone. */
  of({ policy }: { readonly policy: string | null }): Policy {
    const found = this.#byName.get(policy ?? DEFAULT_POLICY) ?? this.#byName.get(DEFAULT_POLICY);
    return found ?? { id: 0, name: DEFAULT_POLICY, owner: null, version: 0, ...DEFAULTS };
  }
}

function demandRepeat(repeat: Policy['repeat_s']): void {
  const short = Object.values(repeat).find((seconds) => seconds > 0 && seconds < LEAST_REPEAT_S);
  if (short !== undefined)
    throw RpcError.invalid(`repeat_s must be 0 (never) or at least ${LEAST_REPEAT_S}`);
}

/** Policy to store. @throws RpcError 108 */
export function policyOf(given: Static<typeof PolicySettings>, owner: string | null): NewPolicy {
  demandRepeat(given.repeat_s ?? {});
  const { name, steps, quiet } = given;
  if (quiet) {
    for (const time of [quiet.from, quiet.to]) {
      if (time > '23:59') throw RpcError.invalid(`${time} is no time of day: 00:00 to 23:59`);
    }
    if (quiet.from === quiet.to) {
      throw RpcError.invalid('quiet.from and quiet.to are the same: quiet hours must end');
    }
    demandZone(quiet.zone);
  }
  const times = steps.map(({ after_s }) => after_s);
  if (new Set(times).size < times.length) {
    throw RpcError.invalid('two steps have the same after_s: write their channels into one step');
  }
  const rest = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  const sorted = steps.toSorted((a, b) => a.after_s - b.after_s);
  return { ...DEFAULTS, ...Object.fromEntries(rest), name, steps: sorted, owner };
}

/** Policy as the wire has it. */
export function settingsOf(policy: NewPolicy): Static<typeof PolicySettings> {
  const { name, steps, group_by, wait_s, interval_s, repeat_s, quiet, send_close } = policy;
  const given = steps.map(({ after_s, channels }) => ({ after_s, channels: [...channels] }));
  const numbers = { wait_s, interval_s, repeat_s: { ...repeat_s } };
  const hours = quiet ? { quiet: { ...quiet } } : {};
  return { name, steps: given, group_by, ...numbers, ...hours, send_close };
}
