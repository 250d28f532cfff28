import { ListChecks } from 'lucide';
import { useState } from 'preact/hooks';
import { Loaded } from '../../frame/index.ts';
import { Empty, format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { ResultDialog } from './dialogs/result.tsx';
import { type Result, useResults } from './model.ts';
import { stateOf } from './outcome.tsx';

interface Props {
  readonly name: string;
  /** Grows with each run from this page. */
  readonly runs: number;
  readonly onLine: (line: number) => void;
}

/** The last runs, newest first; each opens. */
export function Results({ name, runs, onLine }: Props) {
  const [open, setOpen] = useState<Result>();
  return (
    <div class="workers-tab">
      <Loaded of={useResults(name, runs)} what={t.workers.unread}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon={ListChecks} title={t.workers.noRuns}>
              {t.workers.noRunsText}
            </Empty>
          ) : (
            <ul class="workers-runs" aria-label={t.workers.runs}>
              {found.map((one) => (
                <li key={one.id}>
                  <button type="button" onClick={() => setOpen(one)}>
                    <span class={one.error_message === null ? '' : 'workers-bad'}>
                      {stateOf(one)}
                    </span>
                    <span class="muted small">
                      {one.run_type} · {one.start_time !== null && format.when(one.start_time)}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {open && (
        <ResultDialog
          name={name}
          result={open}
          onClose={() => setOpen(undefined)}
          onLine={onLine}
        />
      )}
    </div>
  );
}
