import { Save, Trash2, Undo2 } from 'lucide';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  address,
  go,
  Loaded,
  setQuery,
  to,
  useCrumbs,
  usePoll,
  useServer,
  wire,
} from '../../frame/index.ts';
import {
  Button,
  Card,
  Confirm,
  Diff,
  errorText,
  FormDialog,
  Tabs,
  toast,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Code } from './code.tsx';
import { Failure } from './failure.tsx';
import { Log } from './log.tsx';
import { type Draft, draftOf, effectsOf, isSame, isSound, type Stored, wireOf } from './model.ts';
import { Results } from './results.tsx';
import { Run } from './run.tsx';
import { Settings } from './settings.tsx';

/** A worker that was opened, and what became of it here. */
export interface Work {
  readonly base: Stored;
  readonly draft: Draft;
}

interface Props {
  readonly name: string;
  /** What is not saved, by name: it outlives a look at another worker. */
  readonly kept: Map<string, Work>;
}

export function Worker({ name, kept }: Props) {
  const { call } = useServer();
  const stored = usePoll(`worker ${name}`, () => call('js-worker_read', { name }));
  useCrumbs({ label: name });
  return (
    <Loaded of={stored} what={t.workers.unread}>
      {(found) => <Open name={name} stored={found} kept={kept} />}
    </Loaded>
  );
}

interface OpenProps extends Props {
  readonly stored: Stored;
}

const panels = ['run', 'results', 'settings'] as const;

/** One worker: its script at the left, what to do with it at the right, its log below. */
function Open({ name, stored, kept }: OpenProps) {
  const server = useServer();
  const { call, may } = server;
  // The server's later answers do not move what is being edited: deploying compares with them.
  const [base, setBase] = useState(kept.get(name)?.base ?? stored);
  const original = useMemo(() => draftOf(base), [base]);
  const [draft, setDraft] = useState(kept.get(name)?.draft ?? original);
  const [open, setOpen] = useState<'remove' | { readonly newest: Stored }>();
  const [error, setError] = useState<string>();
  const [runs, setRuns] = useState(0);
  /** Grows when the script changes from outside of the editor. */
  const [round, setRound] = useState(0);
  const goTo = useRef<(line: number) => void>(() => {});
  const runNow = useRef<() => void>(() => {});
  const isChanged = !isSame(original, draft);
  if (isChanged) kept.set(name, { base, draft });
  else kept.delete(name);
  useWarning(isChanged);
  const mayWrite = may('js-worker_update', { name, js_script_base64: 'YQ==' }) === true;
  const panel = panels.find((id) => id === address.value.query.get('tab')) ?? 'run';
  const close = () => setOpen(undefined);
  const review = async () => {
    if (!mayWrite || !isChanged || !isSound(draft)) return;
    setError(undefined);
    try {
      setOpen({ newest: await call('js-worker_read', { name }) });
    } catch (failure) {
      toast(errorText(failure), { kind: 'bad' });
    }
  };
  const deploy = async () => {
    try {
      await call('js-worker_update', wireOf(name, draft));
    } catch (failure) {
      setError(errorText(failure));
      throw failure;
    }
    const made = await call('js-worker_read', { name });
    setBase(made);
    setDraft(draftOf(made));
    toast(t.workers.saved(name));
  };
  return (
    <div class="stack">
      <div class="workers-grid">
        <Card
          flush
          class="workers-editor"
          title={<span title={name}>{name}</span>}
          actions={
            <>
              {isChanged && <span class="tag warn">{t.workers.unsaved}</span>}
              {isChanged && (
                <Button
                  kind="quiet"
                  icon={Undo2}
                  label={t.workers.discard}
                  onClick={() => {
                    setDraft(original);
                    setRound(round + 1);
                  }}
                />
              )}
              {may('js-worker_delete', { name }) === true && (
                <Button
                  kind="quiet"
                  icon={Trash2}
                  label={t.workers.remove}
                  onClick={() => setOpen('remove')}
                />
              )}
              {mayWrite && (
                <Button
                  kind="primary"
                  icon={Save}
                  disabled={!isChanged || !isSound(draft)}
                  onClick={() => void review()}
                >
                  {t.workers.save}
                </Button>
              )}
            </>
          }
        >
          {error !== undefined && <Failure text={error} name={name} onLine={goTo.current} />}
          <Code
            name={name}
            text={draft.script}
            round={round}
            isReadOnly={!mayWrite}
            onText={(script) => setDraft((old) => ({ ...old, script }))}
            onSave={() => void review()}
            onRun={() => runNow.current()}
            goTo={goTo}
          />
          <p class="muted small workers-note">
            {mayWrite ? t.workers.editorHint : t.workers.readOnly}
          </p>
        </Card>
        <Card flush class="workers-panel">
          <Tabs
            label={t.workers.panel}
            tabs={panels.map((id) => ({ id, label: t.workers.tabs[id] }))}
            current={panel}
            onChange={(id) => setQuery({ tab: id === 'run' ? undefined : id })}
          >
            <div class={panel === 'run' ? 'workers-tab' : 'workers-hidden'}>
              <Run
                name={name}
                route={base.route_name}
                isChanged={isChanged}
                start={runNow}
                onLine={(line) => goTo.current(line)}
                onDone={() => setRuns((count) => count + 1)}
              />
            </div>
            {panel === 'results' && (
              <Results name={name} runs={runs} onLine={(line) => goTo.current(line)} />
            )}
            {panel === 'settings' && (
              <Settings draft={draft} isReadOnly={!mayWrite} onDraft={setDraft} />
            )}
          </Tabs>
        </Card>
      </div>
      <Log name={name} />
      {open === 'remove' && <Remove name={name} onClose={close} />}
      {typeof open === 'object' && (
        <Review
          name={name}
          newest={open.newest}
          stored={base}
          draft={draft}
          onClose={close}
          onDeploy={deploy}
        />
      )}
    </div>
  );
}

interface ReviewProps {
  readonly name: string;
  /** What the server has now. */
  readonly newest: Stored;
  /** What was opened. */
  readonly stored: Stored;
  readonly draft: Draft;
  readonly onClose: () => void;
  readonly onDeploy: () => Promise<void>;
}

/** Says in words what deploying does, and shows it line by line. */
function Review({ name, newest, stored, draft, onClose, onDeploy }: ReviewProps) {
  const before = draftOf(newest);
  const path = (route: string) => `${wire('/svc/worker-route')}/${route}`;
  return (
    <FormDialog
      title={t.workers.saveTitle(name)}
      action={t.workers.deploy}
      wide
      onClose={onClose}
      onSubmit={onDeploy}
    >
      {newest.update_at !== stored.update_at && <p class="note warn">{t.workers.conflict}</p>}
      <ul class="workers-effects">
        {effectsOf(before, draft, path).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {before.script !== draft.script && <Diff before={before.script} after={draft.script} />}
    </FormDialog>
  );
}

function Remove({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { call } = useServer();
  const undo = async (old: Stored) => {
    try {
      await call('js-worker_create', wireOf(name, draftOf(old)));
      toast(t.workers.undone);
      go(to('workers', { name }));
    } catch (failure) {
      toast(errorText(failure), { kind: 'bad' });
    }
  };
  return (
    <Confirm
      title={t.workers.removeTitle(name)}
      action={t.workers.removeAction}
      onClose={onClose}
      onConfirm={async () => {
        const old = await call('js-worker_read', { name });
        await call('js-worker_delete', { name });
        go(to('workers'));
        toast(t.workers.removed(name), {
          action: { label: t.workers.undo, run: () => void undo(old) },
        });
      }}
    >
      <p>{t.workers.removeText}</p>
    </Confirm>
  );
}

/** The browser asks before it closes over what is not saved. */
function useWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isChanged]);
}
