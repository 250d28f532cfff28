import { Send } from 'lucide';
import { useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { mayWith } from '../../../parts/alert/index.ts';
import { Button, ErrorNote, Form, format, TextField, useWork } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { eventText } from '../event-text.ts';
import { useAlertWork } from '../model.ts';
import type { AlertPage, Delivery } from './model.ts';

interface Props {
  readonly page: AlertPage;
  readonly onChanged: () => void;
}

/** Events of the alert in their order, each with the messages that told of it. */
export function Timeline({ page, onChanged }: Props) {
  const { alert, deliveries, events } = page;
  const server = useServer();
  const ordered = events.toSorted((a, b) => a.at - b.at || a.id - b.id);
  return (
    <>
      <ol class="alerts-timeline">
        {ordered.map((event) => (
          <li key={event.id} class={event.kind}>
            <time
              class="muted small"
              dateTime={new Date(event.at).toISOString()}
              title={format.dateTime(event.at)}
            >
              {format.when(event.at)}
            </time>
            <div class="grow">
              <div>{eventText(event)}</div>
              {deliveries
                .filter(({ event_id }) => event_id === event.id)
                .map((delivery) => (
                  <div key={`${delivery.channel} ${delivery.created_at}`} class="small muted">
                    {delivery.channel}: {deliveryText(delivery)}
                  </div>
                ))}
            </div>
          </li>
        ))}
      </ol>
      {mayWith(server, 'ack', alert) && <NoteForm id={alert.id} onChanged={onChanged} />}
    </>
  );
}

/** "sent 12:00:14, answered 200" */
function deliveryText({ state, sent_at, status, tries, created_at }: Delivery): string {
  const s = t.alerts.states;
  if (state === 'sent') return s.sent(format.clockSeconds(sent_at ?? created_at), status);
  if (state === 'waiting') return s.tries(tries, status);
  return state === 'dropped' ? s.dropped(tries) : s.merged;
}

function NoteForm({ id, onChanged }: { readonly id: number; readonly onChanged: () => void }) {
  const [text, setText] = useState('');
  const { addNote } = useAlertWork(id, onChanged);
  const { run, error, isBusy } = useWork(
    () => addNote(text),
    () => setText(''),
  );
  return (
    <Form class="alerts-note" onSubmit={() => text.trim() !== '' && run()}>
      <TextField label={t.alerts.addNote} value={text} autocomplete="off" onText={setText} />
      <Button type="submit" icon={Send} busy={isBusy} disabled={text.trim() === ''}>
        {t.alerts.addIt}
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </Form>
  );
}
