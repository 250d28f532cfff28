import { MessageCircleWarning, Plus } from 'lucide';
import { Link, Loaded, navigate, seesAlerts, to, useServer } from '../../../frame/index.ts';
import { Button, Empty, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Channel, useChannels, usePolicies } from '../model.ts';
import { Policies } from '../policies/list.tsx';
import { Outbox } from './outbox.tsx';
import { SendQuestion } from './question.tsx';
import { useLastTest } from './tests.ts';

/** Ways out of the server, who is told by which, and what was sent. */
export function ChannelsTab() {
  const server = useServer();
  const channels = useChannels();
  const policies = usePolicies();
  const add = server.holds('channel', 'write') && (
    <Button
      kind="primary"
      icon={Plus}
      onClick={() => navigate(to('alerts', 'channels', { new: '' }))}
    >
      {t.alerts.newChannel}
    </Button>
  );
  return (
    <Loaded of={channels} what={t.alerts.channelsUnreadable}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon={MessageCircleWarning} title={t.alerts.noChannels}>
            <p>{t.alerts.channelsHint}</p>
            {add}
          </Empty>
        ) : (
          <div class="stack">
            <SendQuestion channels={list} policies={policies} />
            <header class="page-head">
              <h2 class="grow">{t.alerts.channelCount(list.length)}</h2>
              {add}
            </header>
            <ul class="alerts-channels card flush">
              {list.map((channel) => (
                <Row key={channel.name} channel={channel} />
              ))}
            </ul>
            {seesAlerts(server) && <Policies policies={policies} />}
            <Outbox channels={list} />
          </div>
        )
      }
    </Loaded>
  );
}

function Row({ channel }: { readonly channel: Channel }) {
  const { name, kind, enable, last_ok_at, sent, failed, waiting } = channel;
  const testedAt = useLastTest(name);
  return (
    <li class={`alerts-channel ${enable ? '' : 'off'}`}>
      <div class="alerts-what">
        <Link to={to('alerts', 'channels', name)} class="alerts-name">
          {name}
        </Link>
        <div class="muted small">{kind}</div>
      </div>
      <State channel={channel} isTested={testedAt !== undefined} />
      <div class="small muted">
        {last_ok_at !== null && last_ok_at >= (testedAt ?? 0)
          ? t.alerts.lastSent(format.roughly(Date.now() - last_ok_at))
          : testedAt === undefined
            ? t.alerts.neverSent
            : t.alerts.testSent(format.roughly(Date.now() - testedAt))}
      </div>
      <div class="small muted num">{t.alerts.sentCounts(sent, failed, waiting)}</div>
    </li>
  );
}

interface StateProps {
  readonly channel: Channel;
  readonly isTested: boolean;
}

/** State of a channel in words. */
function State({ channel, isTested }: StateProps) {
  const { enable, failing_since, last_error, last_status, last_ok_at, problem } = channel;
  if (!enable) return <div class="muted">{t.alerts.isOff}</div>;
  if (problem !== null) return <div class="alerts-problem">{t.alerts.ownerLost}</div>;
  if (failing_since === null)
    return <div>{last_ok_at === null && !isTested ? t.alerts.notUsed : t.alerts.works}</div>;
  const why = last_error ?? (last_status === null ? '' : t.alerts.answered(last_status));
  return (
    <div>
      <span class="alerts-problem">{t.alerts.failingSince(format.when(failing_since))}</span>
      {why !== '' && (
        <div class="small muted ellipsis" title={why}>
          {why}
        </div>
      )}
    </div>
  );
}
