import { format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import type { Ending, Firing } from './model.ts';

interface Props {
  /** Newest first. */
  readonly firings: readonly Firing[];
  readonly endings?: ReadonlyMap<string, Ending>;
}

const MOST = 24;

/** What became of a firing: the dispatch, and the work itself where it is known. */
export function moodOf(firing: Firing, endings: Props['endings']): 'bad' | 'open' | 'fine' {
  if (!firing.isHandedOver) return 'bad';
  const states = firing.records.map(({ relative_id }) => endings?.get(String(relative_id))?.state);
  if (states.includes('failed')) return 'bad';
  return states.includes('running') ? 'open' : 'fine';
}

/** A dot a run, the newest at the end. */
export function Strip({ firings, endings }: Props) {
  const shown = firings.slice(0, MOST).toReversed();
  const bad = shown.filter((firing) => moodOf(firing, endings) === 'bad').length;
  if (shown.length === 0) return <span class="muted small">{t.jobs.noRuns}</span>;
  return (
    <div class="jobs-strip" role="img" aria-label={t.jobs.strip(shown.length, bad)}>
      {shown.map((firing) => {
        const { at, records } = firing;
        const done = records.filter(({ success }) => success === true).length;
        return (
          <span
            key={at}
            class={`jobs-dot ${moodOf(firing, endings)}`}
            title={`${format.dateTime(at)} · ${t.jobs.handed(done, records.length)}`}
          />
        );
      })}
    </div>
  );
}
