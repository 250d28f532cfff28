import { useServer, wire } from '../../../frame/index.ts';
import { Button, Card, ErrorNote, Form, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { EntryList } from './entries.tsx';
import { Looks } from './looks.tsx';
import { type Shown, useDraft } from './model.ts';

interface Props {
  /** Undefined: a new page. */
  readonly shown?: Shown;
  readonly onSaved: (slug: string) => void;
  readonly onCancel?: () => void;
}

type Draft = ReturnType<typeof useDraft>;

/** Everything of one public page but its incidents. */
export function StatusForm({ shown, onSaved, onCancel }: Props) {
  const s = t.server.status;
  const draft = useDraft(shown, onSaved);
  const { save, mayWrite } = draft;
  return (
    <Card title={shown ? s.settings : s.make}>
      <Form onSubmit={save.run}>
        <fieldset class="stack server-plain" disabled={!mayWrite}>
          {!shown && <Slug draft={draft} />}
          <Fields draft={draft} seen={shown?.monitors ?? []} />
        </fieldset>
        {save.error !== undefined && <ErrorNote error={save.error} what={s.failed} />}
        {mayWrite ? (
          <div class="row">
            <Button type="submit" kind="primary" busy={save.isBusy} disabled={!draft.isReady}>
              {shown ? s.save : s.publish}
            </Button>
            {onCancel && <Button onClick={onCancel}>{t.parts.cancel}</Button>}
            {draft.lacksMonitor && <span class="hint">{s.monitorWanted}</span>}
          </div>
        ) : (
          <p class="muted">{s.readOnly}</p>
        )}
      </Form>
    </Card>
  );
}

function Slug({ draft: { slug, setSlug, isSlug } }: { readonly draft: Draft }) {
  const { origin } = useServer();
  const s = t.server.status;
  return (
    <TextField
      label={s.slug}
      value={slug}
      onText={setSlug}
      mono
      autofocus
      spellcheck={false}
      hint={isSlug ? s.slugShows(`${origin}${wire(`/svc/status/${slug}`)}`) : s.slugHint}
      error={slug === '' || isSlug ? undefined : s.slugWrong}
    />
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly seen: NonNullable<Shown['monitors']>;
}

function Fields({ draft: { page, change }, seen }: FieldsProps) {
  const s = t.server.status;
  const hasMonitors = page.entries.some(({ monitor }) => typeof monitor === 'number');
  return (
    <>
      <TextField label={s.name} value={page.title} onText={(title) => change({ title })} />
      <TextField
        label={s.description}
        value={page.description ?? ''}
        onText={(description) => change({ description })}
      />
      <EntryList entries={page.entries} seen={seen} onChange={(entries) => change({ entries })} />
      {hasMonitors && (
        <TextField
          label={s.zone}
          value={page.zone ?? ''}
          hint={s.zoneHint}
          offered={Intl.supportedValuesOf('timeZone')}
          onText={(zone) => change({ zone: zone === '' ? null : zone })}
        />
      )}
      <Looks page={page} onChange={change} />
    </>
  );
}
