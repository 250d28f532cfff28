import { useState } from 'preact/hooks';
import { Loaded, useServer } from '../../../frame/index.ts';
import { Button, Card, TextArea } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { SaveConfiguration } from '../dialogs/save-configuration.tsx';
import { useConfigurationFile, useConfigurationWarnings } from '../model.ts';
import { FileOnly } from './file-only.tsx';
import { changedOf } from './model.ts';
import { ConfigurationNotes } from './notes.tsx';

/** The configuration file: its text, what a change of it is, and the server's word on it. */
export function Configuration() {
  const file = useConfigurationFile();
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
  const { may } = useServer();
  const s = t.server.configuration;
  const [draft, setDraft] = useState(text);
  const [isAsking, setAsking] = useState(false);
  const mayEdit = may('svc-server_edit_config') !== false;
  const isChanged = draft !== text;
  const { file_only: fileOnly = [] } = useConfigurationWarnings();
  const locked = changedOf(fileOnly, text, draft);
  const actions = mayEdit && (
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
  );
  return (
    <Card class="server-configuration" title={s.title} actions={actions}>
      {mayEdit && <FileOnly keys={fileOnly} />}
      <TextArea
        label={s.label}
        hint={mayEdit ? s.hint : s.readOnly}
        error={locked.length > 0 ? s.fileOnly.changed(locked.join(', ')) : undefined}
        class="server-file"
        mono
        readOnly={!mayEdit}
        value={draft}
        onText={setDraft}
      />
      {isAsking && (
        <SaveConfiguration
          {...{ before: text, after: draft, onSaved }}
          onClose={() => setAsking(false)}
        >
          <p>{s.warning}</p>
        </SaveConfiguration>
      )}
    </Card>
  );
}
