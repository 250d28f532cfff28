import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useServer } from '../../../../frame/index.ts';
import { Checkbox, FormDialog, TextField, toast } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import { nameMistake } from '../../model.ts';
import type { Bucket } from '../model.ts';

type Options = Pick<Bucket, 'path' | 'cors' | 'is_http_root'>;

interface NewProps {
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

export function NewBucket({ onClose, onDone }: NewProps) {
  const { call } = useServer();
  const [name, setName] = useState('');
  const [changed, setChanged] = useState<Partial<Options>>({});
  /** The path follows the name until it is typed. */
  const path = name === '' ? '' : `sites/${name}`;
  const options = { path, cors: false, is_http_root: false, ...changed };
  const wrong = name === '' ? undefined : nameMistake(name);
  return (
    <FormDialog
      title={t.stores.newBucket}
      action={t.stores.create}
      disabled={name === '' || wrong !== undefined || options.path.trim() === ''}
      onClose={onClose}
      onSubmit={async () => {
        await call('static-bucket_create', { name, ...options });
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
      <Fields
        {...options}
        hint={t.stores.bucketPathHint}
        onChange={(change) => setChanged({ ...changed, ...change })}
      />
    </FormDialog>
  );
}

interface SettingsProps {
  readonly record: Bucket;
  readonly onClose: () => void;
  readonly onDone: (made: Bucket) => void;
}

export function BucketSettings({ record, onClose, onDone }: SettingsProps) {
  const { call } = useServer();
  const { name, path, cors, is_http_root } = record;
  const [options, setOptions] = useState<Options>({ path, cors, is_http_root });
  const [enable, setEnable] = useState(record.enable !== false);
  return (
    <FormDialog
      title={t.stores.settingsTitle(name)}
      action={t.stores.save}
      disabled={options.path.trim() === ''}
      onClose={onClose}
      onSubmit={async () => {
        onDone(await call('static-bucket_update', { name, ...options, enable }));
        toast(t.stores.settingsSaved);
      }}
    >
      <Fields
        {...options}
        hint={options.path === path ? t.stores.bucketPathHint : t.stores.pathMoved}
        onChange={(change) => setOptions({ ...options, ...change })}
      >
        <div>
          <Checkbox label={t.stores.enabled} checked={enable} onChange={setEnable} />
        </div>
      </Fields>
    </FormDialog>
  );
}

interface FieldsProps extends Options {
  readonly hint: string;
  readonly onChange: (change: Partial<Options>) => void;
  readonly children?: ComponentChildren;
}

const Fields = ({ path, cors, is_http_root, hint, onChange, children }: FieldsProps) => (
  <>
    <TextField
      label={t.stores.bucketPath}
      value={path}
      onText={(text) => onChange({ path: text })}
      hint={hint}
      mono
      autocomplete="off"
      spellcheck={false}
    />
    {children}
    <div>
      <Checkbox label={t.stores.cors} checked={cors} onChange={(on) => onChange({ cors: on })} />
    </div>
    <div>
      <Checkbox
        label={t.stores.isRoot}
        checked={is_http_root}
        onChange={(on) => onChange({ is_http_root: on })}
      />
    </div>
  </>
);
