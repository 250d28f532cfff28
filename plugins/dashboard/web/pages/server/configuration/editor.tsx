import { useState } from 'preact/hooks';
import { Loaded, usePoll, useServer } from '../../../frame/index.ts';
import { Button, Card, Confirm, Diff, Field, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { changedOf, FileOnly, inWords, useFileOnly } from './file-only.tsx';
import { ConfigurationNotes } from './notes.tsx';

/** The configuration file: its text, what a change of it is, and the server's word on it. */
export function Configuration() {
  const { call } = useServer();
  const file = usePoll('configuration', () => call('svc-server_read_config'));
  return (
    <div class="stack">
      <ConfigurationNotes />
      <Loaded of={file} what={t.server.configuration.unreadable}>
        {(text) => <Editor key={text} text={text} onSaved={file.refresh} />}
      </Loaded>
    </div>
  );
}

function Editor({ text, onSaved }: { readonly text: string; readonly onSaved: () => void }) {
  const { call, may } = useServer();
  const s = t.server.configuration;
  const [draft, setDraft] = useState(text);
  const [isAsking, setAsking] = useState(false);
  const mayEdit = may('svc-server_edit_config') !== false;
  const isChanged = draft !== text;
  const fileOnly = useFileOnly(text);
  const locked = changedOf(fileOnly, text, draft);
  return (
    <Card
      class="server-configuration"
      title={s.title}
      actions={
        mayEdit && (
          <div class="row">
            <Button disabled={!isChanged} onClick={() => setDraft(text)}>
              {s.discard}
            </Button>
            <Button
              kind="primary"
              disabled={!isChanged || locked.length > 0}
              onClick={() => setAsking(true)}
            >
              {s.review}
            </Button>
          </div>
        )
      }
    >
      {mayEdit && <FileOnly keys={fileOnly} />}
      <Field
        label={s.label}
        hint={mayEdit ? s.hint : s.readOnly}
        error={locked.length > 0 ? s.fileOnly.changed(locked.join(', ')) : undefined}
      >
        {(ids) => (
          <textarea
            {...ids}
            class="input mono server-file"
            spellcheck={false}
            readOnly={!mayEdit}
            value={draft}
            onInput={(event) => setDraft(event.currentTarget.value)}
          />
        )}
      </Field>
      {isAsking && (
        <Confirm
          title={s.ask}
          action={s.save}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await call('svc-server_edit_config', { config_string: draft }).catch((error) => {
              throw inWords(error);
            });
            toast(s.saved);
            onSaved();
          }}
        >
          <p>{s.warning}</p>
          <Diff before={text} after={draft} />
        </Confirm>
      )}
    </Card>
  );
}
