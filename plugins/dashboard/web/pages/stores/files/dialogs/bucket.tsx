import { useState } from 'preact/hooks';
import { useServer } from '../../../../frame/index.ts';
import { Checkbox, FormDialog, TextField, toast } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import { nameCheck } from '../../db/databases.tsx';

interface Bucket {
  readonly name: string;
  readonly path: string;
  readonly is_http_root: boolean;
  readonly cors: boolean;
  readonly enable: boolean | null;
}

interface NewProps {
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

export function NewBucket({ onClose, onDone }: NewProps) {
  const { call } = useServer();
  const [name, setName] = useState('');
  /** Follows the name until it is typed. */
  const [path, setPath] = useState<string>();
  const [cors, setCors] = useState(false);
  const [isRoot, setRoot] = useState(false);
  const wrong = name === '' ? undefined : nameCheck(name);
  const where = path ?? (name === '' ? '' : `sites/${name}`);
  return (
    <FormDialog
      title={t.stores.newBucket}
      action={t.stores.create}
      disabled={name === '' || wrong !== undefined || where.trim() === ''}
      onClose={onClose}
      onSubmit={async () => {
        await call('static-bucket_create', { name, path: where, is_http_root: isRoot, cors });
        onDone(name);
      }}
    >
      <TextField
        label={t.stores.name}
        value={name}
        onText={setName}
        error={wrong}
        hint={t.stores.databaseHint}
        mono
        autofocus
        autocomplete="off"
        spellcheck={false}
      />
      <TextField
        label={t.stores.bucketPath}
        value={where}
        onText={setPath}
        hint={t.stores.bucketPathHint}
        mono
        autocomplete="off"
        spellcheck={false}
      />
      <div>
        <Checkbox label={t.stores.cors} checked={cors} onChange={setCors} />
      </div>
      <div>
        <Checkbox label={t.stores.isRoot} checked={isRoot} onChange={setRoot} />
      </div>
    </FormDialog>
  );
}

interface SettingsProps {
  readonly record: Bucket & { readonly id: number };
  readonly onClose: () => void;
  readonly onDone: (made: Bucket & { readonly id: number }) => void;
}

export function BucketSettings({ record, onClose, onDone }: SettingsProps) {
  const { call } = useServer();
  const { name } = record;
  const [path, setPath] = useState(record.path);
  const [cors, setCors] = useState(record.cors);
  const [isRoot, setRoot] = useState(record.is_http_root);
  const [isOn, setOn] = useState(record.enable !== false);
  return (
    <FormDialog
      title={t.stores.settingsTitle(name)}
      action={t.stores.save}
      disabled={path.trim() === ''}
      onClose={onClose}
      onSubmit={async () => {
        const made = { name, path, is_http_root: isRoot, cors, enable: isOn };
        onDone(await call('static-bucket_update', made));
        toast(t.stores.settingsSaved);
      }}
    >
      <TextField
        label={t.stores.bucketPath}
        value={path}
        onText={setPath}
        hint={path === record.path ? t.stores.bucketPathHint : t.stores.pathMoved}
        mono
        autocomplete="off"
        spellcheck={false}
      />
      <div>
        <Checkbox label={t.stores.enabled} checked={isOn} onChange={setOn} />
      </div>
      <div>
        <Checkbox label={t.stores.cors} checked={cors} onChange={setCors} />
      </div>
      <div>
        <Checkbox label={t.stores.isRoot} checked={isRoot} onChange={setRoot} />
      </div>
    </FormDialog>
  );
}
