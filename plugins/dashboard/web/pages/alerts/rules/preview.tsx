import { useMachines, useSubjects } from '../../../frame/index.ts';
import { grouped } from '../../../parts/grouped.ts';
import { Card, errorText, format, Skeleton } from '../../../parts/index.ts';
import { useListedMonitors } from '../../../parts/monitor/listed.ts';
import { t } from '../../../strings/index.ts';
import type { NewRule, Source } from '../model.ts';
import { type Check, isStored, type Test, useTest, WEEK_MS } from './check.ts';
import { checkedScope, type Draft, namesNothing } from './draft.ts';
import { hitsOf } from './hits.ts';
import { monitorHits } from './monitor-scope.tsx';
import { readGrouped, readNamed } from './named.ts';
import { isCounted, subjectsOf } from './subjects.ts';

interface Props {
  /** Undefined: it cannot run as it stands. */
  readonly rule: NewRule | undefined;
  readonly check: Check | undefined;
  readonly draft: Draft;
}

/** For how many it holds now, and what it would have done in the last seven days. */
export function Preview({ rule, check, draft }: Props) {
  const { source } = draft;
  const { data, error, to } = useTest(rule);
  const all = useMatches(draft, check?.matches ?? 0);
  const isNow = isCounted(source, draft.condition);
  return (
    <Card
      class="alerts-preview stack"
      title={isStored(source) || !isNow ? t.alerts.preview : t.alerts.previewNow}
    >
      {isNow && (
        <p aria-live="polite">
          <strong class="alerts-now">
            {check?.valid && !namesNothing(draft) ? trueText(source, check.true_now, all) : '–'}
          </strong>
        </p>
      )}
      {error !== undefined && <p class="muted">{errorText(error)}</p>}
      {!isStored(source) ? (
        <p class="muted">{t.alerts.noPast[subjectsOf(source)]}</p>
      ) : data ? (
        <Week test={data} to={to} />
      ) : (
        rule && error === undefined && <Skeleton rows={6} height={20} />
      )}
      {!rule && !data && isStored(source) && <p class="muted">{t.alerts.previewHint}</p>}
    </Card>
  );
}

const trueText = (source: Source, count: number, all: number): string =>
  source === 'monitor' ? t.alerts.trueNowMonitors(count, all) : t.alerts.trueNow(count, all);

/** Machines or monitors that a rule is about; the server counts its scope, whatever names or group the condition asks for. */
function useMatches(draft: Draft, counted: number): number {
  const { list = [] } = useMachines();
  const monitors = useListedMonitors();
  const { condition, prefix } = readNamed(draft.condition);
  const scope = checkedScope(draft);
  const isMonitor = draft.source === 'monitor';
  const group = isMonitor ? readGrouped(condition).group : '';
  if (prefix === '' && group === '') return counted;
  const hits = isMonitor ? monitorHits({ ...draft, scope }, monitors) : hitsOf(scope, list, prefix);
  return Math.min(counted, hits.length);
}

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
  const from = useBegin(to);
  const span =
    to - from < WEEK_MS ? t.alerts.lastHistory(format.duration(to - from)) : t.alerts.lastWeek;
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
          <Axis from={from} to={to} />
        </div>
      )}
      {rows.length > MOST && <p class="muted small">{t.alerts.andMore(rows.length - MOST)}</p>}
      {cut && <p class="muted small">{t.alerts.cut}</p>}
    </>
  );
}

/** Begin of what is stored of the machines, Unix ms: seven days ago, or later. */
function useBegin(to: number): number {
  const { list = [] } = useMachines();
  const week = to - WEEK_MS;
  const first = Math.min(...list.map(({ first_seen }) => first_seen ?? week));
  return first > week && first < to ? first : week;
}

interface BarsProps {
  readonly list: readonly Test['episodes'][number][];
  readonly from: number;
  readonly to: number;
}

/** Narrowest bar, per cent of the axis. */
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

/** Shortest axis, ms, below which days are named; a shorter one has times of day. */
const DAYS_MS = 2 * DAY_MS;
/** Part of the axis from which on a name stands left of its line. */
const RIGHT = 0.9;

interface AxisProps {
  readonly from: number;
  readonly to: number;
}

/** Days below the bars, each at its midnight; of less than two days the begin and the end. */
function Axis({ from, to }: AxisProps) {
  const isLong = to - from >= DAYS_MS;
  const marks = isLong ? midnights(from, to) : [from, to];
  return (
    <>
      <span />
      <div class="alerts-days" aria-hidden="true">
        {marks.map((time) => {
          const at = (time - from) / (to - from);
          return (
            <span
              key={time}
              class={at > RIGHT ? 'right' : ''}
              style={at > RIGHT ? { right: `${(1 - at) * 100}%` } : { left: `${at * 100}%` }}
            >
              {isLong ? format.date(time, { weekday: 'short' }) : format.when(time)}
            </span>
          );
        })}
      </div>
    </>
  );
}

/** Begins of days in a time, Unix ms. */
function midnights(from: number, to: number): readonly number[] {
  const found: number[] = [];
  const day = new Date(from);
  for (day.setHours(24, 0, 0, 0); day.getTime() < to; day.setDate(day.getDate() + 1))
    found.push(day.getTime());
  return found;
}
