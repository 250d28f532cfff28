import type { Methods } from '@svc/client';
import { Pencil, Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { Loaded, usePoll, useServer } from '../../../frame/index.ts';
import {
  Button,
  Card,
  errorText,
  Field,
  FormDialog,
  format,
  Select,
  TextField,
  toast,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

type Incident = Methods['status-page_incident_list']['result'][number];
const IMPACTS = ['notice', 'maintenance', 'degraded', 'down'] as const;

/** What happened, as readers of the page see it: the newest first. */
export function Incidents({ slug }: { readonly slug: string }) {
  const { call, may } = useServer();
  const s = t.server.status;
  const [open, setOpen] = useState<Incident | 'new'>();
  const found = usePoll(`incidents ${slug}`, () => call('status-page_incident_list', { slug }));
  const mayWrite = may('status-page_incident_delete', { slug, id: 1 }) !== false;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      toast(errorText(error), { kind: 'bad' });
    }
    found.refresh();
  };
  const remove = ({ id, updated_at: _at, ...incident }: Incident) =>
    attempt(async () => {
      await call('status-page_incident_delete', { slug, id });
      const back = () => attempt(() => call('status-page_incident_add', { slug, incident }));
      toast(s.incidentRemoved, { action: { label: s.undo, run: () => void back() } });
    });
  const end = ({ id }: Incident) =>
    attempt(() =>
      call('status-page_incident_update', { slug, id, incident: { ends_at: Date.now() } }),
    );
  return (
    <Card
      title={s.incidents}
      actions={
        mayWrite && (
          <Button icon={Plus} onClick={() => setOpen('new')}>
            {s.addIncident}
          </Button>
        )
      }
    >
      <Loaded of={found} what={s.unreadableIncidents}>
        {(list) =>
          list.length === 0 ? (
            <p class="muted">{s.noIncidents}</p>
          ) : (
            <ol class="server-incidents" aria-label={s.incidents}>
              {list.map((incident) => (
                <li key={incident.id}>
                  <div class="row">
                    <strong class="grow">{incident.title}</strong>
                    <span class={`tag ${incident.impact === 'down' ? 'bad' : ''}`}>
                      {s.impacts[incident.impact]}
                    </span>
                  </div>
                  <p class="muted small">{timesOf(incident)}</p>
                  {incident.text !== '' && <p class="server-text">{incident.text}</p>}
                  {mayWrite && (
                    <div class="row">
                      {(incident.ends_at === null || incident.ends_at > Date.now()) && (
                        <Button onClick={() => void end(incident)}>{s.over}</Button>
                      )}
                      <span class="grow" />
                      <Button
                        kind="quiet"
                        icon={Pencil}
                        label={s.editIncident(incident.title)}
                        onClick={() => setOpen(incident)}
                      />
                      <Button
                        kind="quiet"
                        icon={Trash2}
                        label={s.removeIncident(incident.title)}
                        onClick={() => void remove(incident)}
                      />
                    </div>
                  )}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      {open !== undefined && (
        <IncidentDialog
          slug={slug}
          {...(open !== 'new' && { old: open })}
          onClose={() => setOpen(undefined)}
          onSaved={found.refresh}
        />
      )}
    </Card>
  );
}

function timesOf({ begins_at, ends_at }: Incident): string {
  const from = format.dateTime(begins_at);
  return ends_at === null
    ? t.server.status.since(from)
    : t.server.status.fromTo(from, format.dateTime(ends_at));
}

interface DialogProps {
  readonly slug: string;
  readonly old?: Incident;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

function IncidentDialog({ slug, old, onClose, onSaved }: DialogProps) {
  const { call } = useServer();
  const s = t.server.status;
  const [title, setTitle] = useState(old?.title ?? '');
  const [text, setText] = useState(old?.text ?? '');
  const [impact, setImpact] = useState<Incident['impact']>(old?.impact ?? 'notice');
  const [begins, setBegins] = useState(format.localInput(old?.begins_at ?? Date.now()));
  const [ends, setEnds] = useState(old?.ends_at == null ? '' : format.localInput(old.ends_at));
  const isBackward = ends !== '' && Date.parse(ends) < Date.parse(begins);
  /** What was not touched keeps its seconds. */
  const timeOf = (typed: string, was: number | null | undefined) =>
    typed === '' ? null : was != null && format.localInput(was) === typed ? was : Date.parse(typed);
  return (
    <FormDialog
      title={old ? s.editIncident(old.title) : s.addIncident}
      action={s.save}
      disabled={title.trim() === '' || isBackward}
      onClose={onClose}
      onSubmit={async () => {
        const incident = {
          title,
          text,
          impact,
          begins_at: timeOf(begins, old?.begins_at),
          ends_at: timeOf(ends, old?.ends_at),
        };
        if (old) await call('status-page_incident_update', { slug, id: old.id, incident });
        else await call('status-page_incident_add', { slug, incident });
        onSaved();
      }}
    >
      <TextField label={s.name} value={title} onText={setTitle} autofocus required />
      <Field label={s.text} hint={s.textHint}>
        {(ids) => (
          <textarea
            {...ids}
            class="input"
            rows={4}
            value={text}
            onInput={({ currentTarget: { value } }) => setText(value)}
          />
        )}
      </Field>
      <Select
        label={s.impact}
        value={impact}
        options={IMPACTS.map((value) => ({ value, label: s.impacts[value] }))}
        onChange={setImpact}
      />
      <TextField label={s.begins} type="datetime-local" value={begins} onText={setBegins} />
      <TextField
        label={s.ends}
        type="datetime-local"
        value={ends}
        onText={setEnds}
        hint={s.endsHint}
        error={isBackward ? t.parts.backward : undefined}
      />
    </FormDialog>
  );
}
