import { Complaint } from '../../io.ts';
import type { Session } from '../../session.ts';
import { withoutMadeMonitors } from './monitors.ts';
import { type Item, reasonOf, type Step } from './step.ts';

interface Asked {
  readonly name?: string;
  readonly channel?: Item;
  readonly policy?: Item;
  readonly monitor?: Item;
  readonly rule?: Item;
  readonly window?: Item;
  readonly change?: Readonly<Record<string, unknown>>;
}

/** Names of what earlier steps make. */
interface Made {
  readonly channels: Set<string>;
  readonly policies: Set<string>;
  readonly monitors: Set<string>;
}

/** Has the server check each change in turn, as it would when it makes them. @throws Complaint with all that is wrong */
export async function dryRun(session: Session, steps: readonly Step[]): Promise<void> {
  // The server has not got what steps before would make.
  const made: Made = { channels: new Set(), policies: new Set(), monitors: new Set() };
  const wrong: string[] = [];
  for (const { title, call } of steps) {
    const [method, params] = call as readonly [string, Asked];
    if (method === 'alert_policy_delete' && (await isUsed(session, steps, params.name))) {
      wrong.push(`${title}: a rule uses it: give the rule another policy, or keep this one`);
    }
    if (method.endsWith('_delete')) continue;
    const asked = method.startsWith('monitor_')
      ? withoutMonitors(params, made.monitors)
      : withoutMade(params, made);
    try {
      if (asked) await session.anyMethod.call(method, { ...asked, dry_run: true } as never);
    } catch (error) {
      wrong.push(`${title}: ${reasonOf(error)}`);
    }
    if (params.channel) made.channels.add(params.channel.name);
    if (params.policy) made.policies.add(params.policy.name);
    if (params.monitor) made.monitors.add(params.monitor.name);
  }
  if (wrong.length > 0) throw new Complaint(wrong.join('\n'));
}

/** Tells whether a rule names a policy when all changes are made. */
async function isUsed(session: Session, steps: readonly Step[], policy: string | undefined) {
  const rules = (await session.anyMethod.call('alert_rule_list', {})) as Item[];
  const policies = new Map(rules.map((rule) => [rule.name, rule['policy']]));
  for (const { call } of steps) {
    const [method, { rule, name = '', change }] = call as readonly [string, Asked];
    if (rule) policies.set(rule.name, rule['policy']);
    if (method === 'alert_rule_update') policies.set(name, change?.['policy']);
    if (method === 'alert_rule_delete') policies.delete(name);
  }
  return [...policies.values()].includes(policy);
}

/** Parameters without the names of channels and policies that earlier steps make. */
function withoutMade(params: Asked, made: Made): Asked {
  const { policy, rule, change } = params;
  const steps = policy?.['steps'];
  if (policy && Array.isArray(steps)) {
    const left = steps.map((step: { readonly channels?: unknown } | null) =>
      Array.isArray(step?.channels)
        ? { ...step, channels: step.channels.filter((name) => !made.channels.has(name)) }
        : step,
    );
    return { ...params, policy: { ...policy, steps: left } };
  }
  const isMade = (item: Readonly<Record<string, unknown>>) =>
    made.policies.has(item['policy'] as string);
  if (rule && isMade(rule)) return { ...params, rule: { ...rule, policy: null } };
  if (change && isMade(change)) return { ...params, change: { ...change, policy: null } };
  return params;
}

function withoutMonitors(
  { monitor, change, ...params }: Asked,
  made: ReadonlySet<string>,
): Asked | undefined {
  const item = monitor ?? change ?? {};
  const left = withoutMadeMonitors(item, made);
  return left && { ...params, ...(monitor ? { monitor: left as Item } : { change: left }) };
}
