import type { Notify } from '@svc/plugin-notify/api';
import { DryRun, described, type Methods, needs, RpcError, Type } from '@svc/plugin-sdk';
import { mayDo } from '../rules/rights.ts';
import { Name } from '../schemas.ts';
import type { SettingsParts } from '../silences/parts.ts';
import { policyOf, settingsOf } from './policies.ts';
import { PolicySettings } from './schemas.ts';
import { DEFAULT_POLICY } from './store.ts';

/** `alert_policy_set`, `_list` and `_delete`. */
export function addPolicyMethods(
  methods: Methods,
  { auth, clock, owners, settings, changed }: SettingsParts,
  notify: Pick<Notify, 'channels'>,
): void {
  methods.add('alert_policy_set', {
    summary: 'Makes or replaces a policy: who is told of alerts, when, and how often.',
    description:
      'Members that are absent take their defaults. Needs `alert` `write` globally. The policy `default` is that of all rules that name none.',
    addition: true,
    params: { policy: described(PolicySettings, 'The whole policy.'), dry_run: DryRun },
    result: PolicySettings,
    audit: ({ policy, dry_run }) => (dry_run ? undefined : policy.name),
    access: needs(() => mayDo('write')),
    async handle({ policy, dry_run }, { caller }) {
      const content = policyOf(policy, owners.of(caller));
      const known = new Set((await notify.channels()).map(({ name }) => name));
      const unknown = content.steps.flatMap((step) => step.channels).find((one) => !known.has(one));
      if (unknown !== undefined) throw RpcError.invalid(`there is no channel '${unknown}'`);
      if (dry_run) return settingsOf(content);
      const stored = await settings.policyStore.set(content, clock.now());
      await changed('policy');
      return settingsOf(stored);
    },
  });
  methods.add('alert_policy_list', {
    summary: 'The policies.',
    description: 'Empty for callers without `alert` `read` in the scope `global`.',
    addition: true,
    params: {},
    result: Type.Array(PolicySettings),
    access: 'authenticated',
    async handle(_params, { caller }) {
      if (!(await auth.allows(caller, mayDo('read')))) return [];
      return (await settings.policyStore.all()).map(settingsOf);
    },
  });
  methods.add('alert_policy_delete', {
    summary: 'Deletes a policy that no rule uses.',
    addition: true,
    params: { name: Name },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ name }) => name,
    access: needs(() => mayDo('write')),
    async handle({ name }) {
      if (name === DEFAULT_POLICY) throw RpcError.invalid('the policy default stays');
      const removed = await settings.policyStore.remove(name);
      if (removed === 'used') {
        throw RpcError.invalid(`a rule uses the policy '${name}': give it another one first`);
      }
      if (!removed) throw RpcError.notFound(`there is no policy '${name}'`);
      await changed('policy');
      return { success: true };
    },
  });
}
