import { useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Policy } from '../model.ts';

export type Step = Policy['steps'][number];

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const NIGHT = { from: '22:00', to: '07:00', zone: OWN_ZONE };
/** Usual time between two messages of a critical alert, s. */
const AGAIN_S = 14_400;

const BLANK: Policy = {
  name: '',
  steps: [{ after_s: 0, channels: [] }],
  group_by: 'rule',
  wait_s: 10,
  interval_s: 60,
  repeat_s: { critical: AGAIN_S },
  quiet: null,
  send_close: true,
};

export function usePolicyDraft(policy: Policy | undefined, onDone: (name: string) => void) {
  const { call } = useServer();
  const [draft, setDraft] = useState<Policy>(
    policy ? { ...policy, steps: policy.steps.length > 0 ? policy.steps : BLANK.steps } : BLANK,
  );
  const change = (part: Partial<Policy>) => setDraft((old) => ({ ...old, ...part }));
  const setStep = (at: number, step: Step | undefined) =>
    change({
      steps: draft.steps.flatMap((one, index) => (index === at ? (step ? [step] : []) : [one])),
    });
  const addStep = () =>
    change({
      steps: [...draft.steps, { after_s: (draft.steps.at(-1)?.after_s ?? 0) + 900, channels: [] }],
    });
  const save = async () => {
    const name = draft.name.trim();
    const steps = draft.steps.filter(({ channels }) => channels.length > 0);
    await call('alert_policy_set', { policy: { ...draft, name, steps } });
    toast(t.alerts.policySaved(name));
    onDone(name);
  };
  const switchQuiet = (isOn: boolean) => change({ quiet: isOn ? NIGHT : null });
  return { draft, change, setStep, addStep, switchQuiet, save };
}

export function usePolicyRemoval(name: string, onDone: () => void) {
  const { call } = useServer();
  return async () => {
    await call('alert_policy_delete', { name });
    toast(t.alerts.policyDeleted(name));
    onDone();
  };
}
