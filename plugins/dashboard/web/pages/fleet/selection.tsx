import { ListChecks, Tag, Timer, Trash2, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { go, type Server, setValue, to } from '../../frame/index.ts';
import {
  Button,
  Confirm,
  Dialog,
  ErrorNote,
  TextField,
  toast,
  useWork,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import type { Vital } from './model.ts';

interface Props {
  readonly server: Server;
  readonly chosen: readonly Vital[];
  readonly onClear: () => void;
  /** Something has changed on the server. */
  readonly onChanged: () => void;
}

/** What can be done with the machines that are selected. */
export function Actions({ server, chosen, onClear, onChanged }: Props) {
  const [open, setOpen] = useState<'tags' | 'retention' | 'remove'>();
  const [first] = chosen;
  if (!first) return null;
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    onChanged();
  };
  const uuids = chosen.map(({ uuid }) => uuid);
  const mayWrite =
    server.has('kv') &&
    server.may('kv_set_value', { namespace: first.uuid, key: 'metadata_tags', value: [] }) !==
      false;
  const mayTask = server.has('task') && uuids.some((uuid) => server.covers('task', 'create', uuid));
  const mayRemove = server.may('agent-uuid_delete', { agent_uuid: first.uuid }) !== false;
  return (
    <div class="fleet-actions" role="region" aria-label={t.fleet.selected(chosen.length)}>
      <strong>{t.fleet.selected(chosen.length)}</strong>
      <span class="grow" />
      {mayTask && (
        <Button icon={ListChecks} onClick={() => go(to('tasks', { machine: uuids.join(',') }))}>
          {t.fleet.runTask}
        </Button>
      )}
      {mayWrite && (
        <>
          <Button icon={Tag} onClick={() => setOpen('tags')}>
            {t.fleet.tag}
          </Button>
          <Button icon={Timer} onClick={() => setOpen('retention')}>
            {t.fleet.retention}
          </Button>
        </>
      )}
      {mayRemove && (
        <Button kind="danger" icon={Trash2} onClick={() => setOpen('remove')}>
          {t.fleet.remove}
        </Button>
      )}
      <Button kind="quiet" icon={X} label={t.fleet.clear} onClick={onClear} />
      {open === 'tags' && (
        <TagDialog server={server} chosen={chosen} onClose={close} onDone={done} />
      )}
      {open === 'retention' && (
        <RetentionDialog server={server} chosen={chosen} onClose={close} onDone={done} />
      )}
      {open === 'remove' && (
        <Confirm
          title={t.fleet.removeTitle(chosen.length)}
          action={t.fleet.removeAction(chosen.length)}
          onClose={close}
          onConfirm={async () => {
            await settle(
              uuids.map((uuid) => server.call('agent-uuid_delete', { agent_uuid: uuid })),
            );
            onClear();
            onChanged();
            toast(t.fleet.removed(chosen.length));
          }}
        >
          <p>{t.fleet.removeText}</p>
          <p class="muted">
            {chosen
              .slice(0, 10)
              .map(({ name }) => name)
              .join(', ')}
            {chosen.length > 10 && ' …'}
          </p>
        </Confirm>
      )}
    </div>
  );
}

/** Every one is tried; the first failure is told. */
async function settle(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

interface DialogProps {
  readonly server: Server;
  readonly chosen: readonly Vital[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const words = (text: string) => [
  ...new Set(
    text
      .split(/[,，]/)
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
];

function TagDialog({ server, chosen, onClose, onDone }: DialogProps) {
  const common =
    chosen[0]?.machine?.tags?.filter((tag) =>
      chosen.every(({ machine }) => machine?.tags?.includes(tag)),
    ) ?? [];
  const [text, setText] = useState(common.join(', '));
  const { run, error, isBusy } = useWork(async () => {
    const wanted = words(text);
    // Tags that only some of them have are kept there.
    const tagsOf = ({ machine }: Vital) => [
      ...new Set([...wanted, ...(machine?.tags ?? []).filter((tag) => !common.includes(tag))]),
    ];
    const before = chosen.map((vital) => [vital.uuid, vital.machine?.tags ?? []] as const);
    await settle(
      chosen.map((vital) => setValue(server, vital.uuid, 'metadata_tags', tagsOf(vital))),
    );
    toast(t.fleet.tagged(chosen.length), {
      action: {
        label: t.fleet.undo,
        run: () =>
          void settle(
            before.map(([uuid, tags]) => setValue(server, uuid, 'metadata_tags', tags)),
          ).then(onDone, (failure: unknown) => toast(String(failure), { kind: 'bad' })),
      },
    });
  }, onDone);
  return (
    <FormDialog
      title={t.fleet.tagTitle(chosen.length)}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onSave={() => void run()}
    >
      <TextField
        label={t.fleet.tags}
        hint={t.fleet.tagHint}
        autofocus
        value={text}
        onText={setText}
      />
    </FormDialog>
  );
}

const DAY_MS = 86_400_000;
const KINDS = [
  'dynamic_monitoring',
  'dynamic_monitoring_summary',
  'static_monitoring',
  'task',
] as const;

function RetentionDialog({ server, chosen, onClose, onDone }: DialogProps) {
  const [days, setDays] = useState('14');
  const count = Number(days);
  const isRight = Number.isFinite(count) && count > 0;
  const { run, error, isBusy } = useWork(async () => {
    const value = Math.round(count * DAY_MS);
    for (const kind of KINDS)
      await settle(
        chosen.map(({ uuid }) => setValue(server, uuid, `database_limit_${kind}`, value)),
      );
    toast(t.fleet.retained(chosen.length));
  }, onDone);
  return (
    <FormDialog
      title={t.fleet.retentionTitle(chosen.length)}
      isBusy={isBusy || !isRight}
      error={error}
      onClose={onClose}
      onSave={() => void run()}
    >
      <TextField
        label={t.fleet.days}
        hint={t.fleet.retentionHint}
        type="number"
        min={0}
        autofocus
        value={days}
        onText={setDays}
      />
    </FormDialog>
  );
}

interface FormProps {
  readonly title: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onClose: () => void;
  readonly onSave: () => void;
  readonly children: ComponentChildren;
}

function FormDialog({ title, isBusy, error, onClose, onSave, children }: FormProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSave();
        }}
      >
        {children}
        {error !== undefined && <ErrorNote error={error} />}
        <div class="row">
          <span class="grow" />
          <Button onClick={onClose}>{t.parts.cancel}</Button>
          <Button kind="primary" type="submit" disabled={isBusy}>
            {t.fleet.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
