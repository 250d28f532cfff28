import { Send } from 'lucide';
import { type Resource, seesAlerts, usePoll, useServer } from '../../../frame/index.ts';
import { mayAll, ruleTitle } from '../../../parts/alert/index.ts';
import { Button, ErrorNote, Icon, toast, useWork } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Channel, DEFAULT, type Policy, policyOf } from '../model.ts';
import { channelsOf } from '../policies/text.ts';

interface Props {
  readonly channels: readonly Channel[];
  readonly policies: Resource<readonly Policy[]>;
}

/** Asks, as long as the usual way of telling reaches nobody, whether it shall reach the first channel. */
export function SendQuestion({ channels, policies }: Props) {
  const server = useServer();
  const usual = policies.data?.find(({ name }) => name === DEFAULT);
  const [channel] = channels;
  const isAsked =
    usual !== undefined &&
    channel !== undefined &&
    channelsOf(usual).length === 0 &&
    seesAlerts(server) &&
    mayAll(server, 'write');
  if (!isAsked) return null;
  return <Question policy={usual} channel={channel.name} onDone={policies.refresh} />;
}

interface QuestionProps {
  readonly policy: Policy;
  readonly channel: string;
  readonly onDone: () => void;
}

function Question({ policy, channel, onDone }: QuestionProps) {
  const { call } = useServer();
  const rules = usePoll('alert rules of the default policy', () => call('alert_rule_list'));
  const told = (rules.data ?? []).filter(
    (rule) => rule.enable && rule.notify && policyOf(rule) === policy.name,
  );
  const { run, error, isBusy } = useWork(
    () =>
      call('alert_policy_set', {
        policy: { ...policy, steps: [{ after_s: 0, channels: [channel] }] },
      }),
    () => {
      toast(t.alerts.sendsNow(channel));
      onDone();
    },
  );
  return (
    <div class="note warn">
      <Icon of={Send} />
      <div class="grow">
        <strong>{t.alerts.nobodyTold}</strong>
        <div class="small">{told.map(ruleTitle).join(t.alerts.comma)}</div>
      </div>
      <Button kind="primary" busy={isBusy} onClick={() => void run()}>
        {t.alerts.sendThese(told.length, channel)}
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  );
}
