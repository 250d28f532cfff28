import { useRef, useState } from 'preact/hooks';
import { address, Loaded, setQuery, useCrumbs, usePoll, useServer } from '../../frame/index.ts';
import { Card, Tabs } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { ReviewDialog } from './dialogs/review.tsx';
import { Log } from './log.tsx';
import { type EditOptions, useEdit } from './model.ts';
import { Results } from './results.tsx';
import { Run } from './run.tsx';
import { Script } from './script.tsx';
import { Settings } from './settings.tsx';

export function Worker({ name, unsaved }: Omit<EditOptions, 'stored'>) {
  const { call } = useServer();
  const stored = usePoll(`worker ${name}`, () => call('js-worker_read', { name }));
  useCrumbs({ label: name });
  return (
    <Loaded of={stored} what={t.workers.unread}>
      {(found) => <Open name={name} stored={found} unsaved={unsaved} />}
    </Loaded>
  );
}

const panels = ['run', 'results', 'settings'] as const;

/** One worker: its script at the left, what to do with it at the right, its log below. */
function Open(props: EditOptions) {
  const { name } = props;
  const edit = useEdit(props);
  const [runs, setRuns] = useState(0);
  const goTo = useRef<(line: number) => void>(() => {});
  const start = useRef<() => void>(() => {});
  const panel = panels.find((id) => id === address.value.query.get('tab')) ?? 'run';
  const onLine = (line: number) => goTo.current(line);
  return (
    <div class="stack">
      <div class="workers-grid">
        <Script name={name} edit={edit} goTo={goTo} onRun={() => start.current()} />
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
                route={edit.base.route_name}
                isChanged={edit.isChanged}
                start={start}
                onLine={onLine}
                onDone={() => setRuns((count) => count + 1)}
              />
            </div>
            {panel === 'results' && <Results name={name} runs={runs} onLine={onLine} />}
            {panel === 'settings' && (
              <Settings draft={edit.draft} isReadOnly={!edit.mayWrite} onDraft={edit.setDraft} />
            )}
          </Tabs>
        </Card>
      </div>
      <Log name={name} />
      {edit.newest && <ReviewDialog name={name} edit={edit} newest={edit.newest} />}
    </div>
  );
}
