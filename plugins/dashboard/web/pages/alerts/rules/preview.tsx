import { useMachines, useSubjects } from '../../../frame/index.ts';
import { grouped } from '../../../parts/grouped.ts';
import { Card, errorText, format, Skeleton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { NewRule, Source } from '../model.ts';
import { type Check, isStored, type Test, useTest, WEEK_MS } from './check.ts';

interface Props {
  /** Undefined: it cannot run as it stands. */
  readonly rule: NewRule | undefined;
  readonly check: Check | undefined;
  readonly source: Source;
}

/** For how many it holds now, and what it would have done in the last seven days. */
export function Preview({ rule, check, source }: Props) {
  const { data, error, to } = useTest(rule);
  return (
    <Card class="alerts-preview stack" title={t.alerts.preview}>
      <p aria-live="polite">
        <strong class="alerts-now">{check?.valid ? trueText(source, check) : '–'}</strong>
      </p>
      {error !== undefined && <p class="muted">{errorText(error)}</p>}
      {!isStored(source) ? (
        <p class="muted">{t.alerts.noPast}</p>
      ) : data ? (
        <Week test={data} to={to} />
      ) : (
        rule && error === undefined && <Skeleton rows={6} height={20} />
      )}
      {!rule && !data && isStored(source) && <p class="muted">{t.alerts.previewHint}</p>}
    </Card>
  );
}

const trueText = (source: Source, { true_now, matches }: Check): string =>
  source === 'server'
    ? t.alerts.trueHere[true_now > 0 ? 'yes' : 'no']
    : t.alerts.trueNow(true_now, matches);

/** Machines that are drawn. */
const MOST = 12;
const DAY_MS = 86_400_000;

interface WeekProps {
  readonly test: Test;
  /** Unix ms: the end of what was looked at. */
  readonly to: number;
}

function Week({ test, to }: WeekProps) {
  const { episodes, messages, cut } = test;
  const from = to - WEEK_MS;
  const span = useSpan(from, to);
  const rows = [...grouped(episodes, ({ subject, part }) => `${subject.id} ${part}`).values()];
  const ordered = rows.toSorted((a, b) => b.length - a.length);
  return (
    <>
      <p>{t.alerts.wouldHave(span, messages, episodes.length, rows.length)}</p>
      {rows.length > 0 && (
        <div class="alerts-week">
          {ordered.slice(0, MOST).map((list) => (
            <Bars key={`${list[0]?.subject.id} ${list[0]?.part}`} {...{ list, from, to }} />
          ))}
          <Days from={from} />
        </div>
      )}
      {rows.length > MOST && <p class="muted small">{t.alerts.andMore(rows.length - MOST)}</p>}
      {cut && <p class="muted small">{t.alerts.cut}</p>}
    </>
  );
}

/** Words for how far back the machines have a history: seven days, or less. */
function useSpan(from: number, to: number): string {
  const { list = [] } = useMachines();
  const first = Math.min(...list.map(({ first_seen }) => first_seen ?? from));
  return first > from && first < to
    ? t.alerts.lastHistory(format.duration(to - first))
    : t.alerts.lastWeek;
}

interface BarsProps {
  readonly list: readonly Test['episodes'][number][];
  readonly from: number;
  readonly to: number;
}

/** Narrowest bar, per cent of a week. */
const LEAST = 0.5;

function Bars({ list, from, to }: BarsProps) {
  const [first] = list;
  const { placeOf } = useSubjects();
  const name = first ? placeOf(first) : '';
  const place = (time: number) => ((Math.max(time, from) - from) / (to - from)) * 100;
  const total = list.reduce((sum, one) => sum + (one.closed_at ?? to) - one.opened_at, 0);
  return (
    <>
      <span class="ellipsis small" title={name}>
        {name}
      </span>
      <div
        class="alerts-track"
        role="img"
        aria-label={t.alerts.episodes(name, list.length, format.duration(total))}
      >
        {list.map((one) => (
          <i
            key={one.opened_at}
            class={one.closed_at === null ? 'open' : ''}
            title={episodeText(one, to)}
            style={{
              left: `${place(one.opened_at)}%`,
              width: `${Math.max(LEAST, place(one.closed_at ?? to) - place(one.opened_at))}%`,
            }}
          />
        ))}
      </div>
    </>
  );
}

function episodeText({ opened_at, closed_at, max }: Test['episodes'][number], to: number): string {
  const most = max === null ? '' : ` · ${t.alerts.most(format.number(max, 1))}`;
  return `${format.when(opened_at)} · ${format.duration((closed_at ?? to) - opened_at)}${most}`;
}

/** Names of the days below the bars, each at its midnight. */
function Days({ from }: { readonly from: number }) {
  const first = new Date(from);
  first.setHours(24, 0, 0, 0);
  const days = Array.from({ length: 7 }, (_, at) => new Date(first.getTime() + at * DAY_MS));
  return (
    <>
      <span />
      <div class="alerts-days" aria-hidden="true">
        {days.map((day) => (
          <span
            key={day.getTime()}
            style={{ left: `${((day.getTime() - from) / WEEK_MS) * 100}%` }}
          >
            {format.date(day.getTime(), { weekday: 'short' })}
          </span>
        ))}
      </div>
    </>
  );
}
