import { Pencil, Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { Loaded } from '../../../frame/index.ts';
import { Button, Card, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { IncidentDialog } from './dialogs/incident.tsx';
import { type Incident, useIncidents } from './model.ts';

/** Incidents as readers of the page see them, and drafts: the newest first. */
export function Incidents({ slug }: { readonly slug: string }) {
  const s = t.server.status;
  const [open, setOpen] = useState<Incident | 'new'>();
  const incidents = useIncidents(slug);
  const add = incidents.mayWrite && (
    <Button icon={Plus} onClick={() => setOpen('new')}>
      {s.addIncident}
    </Button>
  );
  return (
    <Card title={s.incidents} actions={add}>
      <Loaded of={incidents.found} what={s.unreadableIncidents}>
        {(list) =>
          list.length === 0 ? (
            <p class="muted">{s.noIncidents}</p>
          ) : (
            <ol class="server-incidents" aria-label={s.incidents}>
              {list.map((incident) => (
                <li key={incident.id}>
                  <div class="row">
                    <strong class="grow">{incident.title}</strong>
                    {incident.draft && <span class="tag">{s.draft}</span>}
                    <span class={`tag ${incident.impact === 'down' ? 'bad' : ''}`}>
                      {s.impacts[incident.impact]}
                    </span>
                  </div>
                  <p class="muted small">{timesOf(incident)}</p>
                  {incident.text !== '' && <p class="server-text">{incident.text}</p>}
                  {incidents.mayWrite && (
                    <IncidentActions {...incidents} incident={incident} onEdit={setOpen} />
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
          onSaved={incidents.found.refresh}
        />
      )}
    </Card>
  );
}

interface ActionsProps extends Pick<ReturnType<typeof useIncidents>, 'end' | 'publish' | 'remove'> {
  readonly incident: Incident;
  readonly onEdit: (incident: Incident) => void;
}

function IncidentActions({ incident, end, publish, remove, onEdit }: ActionsProps) {
  const s = t.server.status;
  return (
    <div class="row">
      {incident.draft && (
        <>
          <Button kind="primary" onClick={() => void publish(incident)}>
            {s.publish}
          </Button>
          <Button onClick={() => void remove(incident)}>{s.discard}</Button>
        </>
      )}
      {(incident.ends_at === null || incident.ends_at > Date.now()) && (
        <Button onClick={() => void end(incident)}>{s.over}</Button>
      )}
      <span class="grow" />
      <Button
        kind="quiet"
        icon={Pencil}
        label={s.editIncident(incident.title)}
        onClick={() => onEdit(incident)}
      />
      <Button
        kind="quiet"
        icon={Trash2}
        label={s.removeIncident(incident.title)}
        onClick={() => void remove(incident)}
      />
    </div>
  );
}

function timesOf({ begins_at, ends_at }: Incident): string {
  const from = format.dateTime(begins_at);
  return ends_at === null
    ? t.server.status.since(from)
    : t.server.status.fromTo(from, format.dateTime(ends_at));
}
