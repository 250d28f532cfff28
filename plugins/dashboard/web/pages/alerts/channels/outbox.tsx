import type { Methods } from '@svc/client';
import { RotateCw } from 'lucide';
import { Loaded, usePoll, useServer } from '../../../frame/index.ts';
import { SeverityIcon } from '../../../parts/alert/index.ts';
import { attempt, Button, Card, format, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Channel } from '../model.ts';

type Message = Methods['channel_outbox']['result'][number];

const LIMIT = 50;
const EVERY_MS = 15_000;

/** Messages that wait, and the last ones that were sent; of one channel, or of all. */
export function Outbox({
  channels,
  name,
}: {
  readonly channels: readonly Channel[];
  readonly name?: string;
}) {
  const { call } = useServer();
  const messages = usePoll(
    `outbox ${name}`,
    () => call('channel_outbox', { limit: LIMIT, ...(name !== undefined && { name }) }),
    { every_ms: EVERY_MS },
  );
  const waiting = channels.filter((channel) => channel.waiting > 0);
  return (
    <Card
      title={t.alerts.outbox}
      actions={waiting.map((channel) => (
        <Retry key={channel.name} name={channel.name} onDone={messages.refresh} />
      ))}
    >
      <Loaded of={messages} what={t.alerts.channelsUnreadable}>
        {(list) =>
          list.length === 0 ? (
            <p class="muted">{t.alerts.nothingSent}</p>
          ) : (
            <ul class="alerts-outbox">
              {list.map((message) => (
                <Line key={message.id} message={message} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function Retry({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const { call, may } = useServer();
  if (may('channel_retry', { name }) !== true) return null;
  const retry = () =>
    attempt(async () => {
      const { waiting } = await call('channel_retry', { name });
      toast(t.alerts.retried(name, waiting));
      onDone();
    });
  return (
    <Button icon={RotateCw} onClick={() => void retry()}>
      {t.alerts.retry(name)}
    </Button>
  );
}

function Line({ message }: { readonly message: Message }) {
  const { type, title, severity, channel, state, created_at, last_error } = message;
  return (
    <li class={state}>
      <time class="muted small" title={format.dateTime(created_at)}>
        {format.when(created_at)}
      </time>
      <SeverityIcon of={severity} />
      <div class="alerts-what">
        <div class="ellipsis" title={title}>
          <span class="muted">{typeText(type)} · </span>
          {title}
        </div>
        {last_error !== null && state !== 'sent' && (
          <div class="small muted ellipsis" title={last_error}>
            {last_error}
          </div>
        )}
      </div>
      <div class="small">{channel}</div>
      <div class={`small ${state === 'dropped' ? 'alerts-problem' : 'muted'}`}>
        {stateText(message)}
      </div>
    </li>
  );
}

/** "Opened", "Ended": what the message is about. */
function typeText(type: string): string {
  const words: { readonly [type: string]: string } = t.alerts.messageTypes;
  return words[type] ?? type;
}

function stateText({ state, sent_at, due, tries, status }: Message): string {
  const s = t.alerts.states;
  if (state === 'sent') return s.sent(format.clockSeconds(sent_at ?? 0), status);
  if (state === 'waiting') return s.waiting(tries, format.clock(due));
  return state === 'dropped' ? s.dropped(tries) : s.merged;
}
