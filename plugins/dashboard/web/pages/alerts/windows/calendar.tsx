import { Clock } from 'lucide';
import { format, Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { DAYS } from './model.ts';
import { type Day, daysFrom, isZone } from './zones.ts';

type Span = readonly number[];

interface Props {
  readonly zone: string;
  /** Times of windows, Unix ms, each `[from, to]`. */
  readonly active: readonly Span[];
}

const MONDAY_FIRST = [1, 2, 3, 4, 5, 6, 7];

/** The next 30 days in the zone of a window; days on which clocks change are marked. */
export function Calendar({ zone, active }: Props) {
  if (!isZone(zone)) return null;
  const days = daysFrom(Date.now(), DAYS, zone);
  const [first] = days;
  const weekday = first ? weekdayOf(first.from, zone) : 1;
  return (
    <div class="alerts-calendar" role="table" aria-label={t.alerts.calendar(zone)}>
      <div role="row" class="alerts-week-row">
        {MONDAY_FIRST.map((day) => (
          <span key={day} role="columnheader" class="muted small">
            {format.date(Date.UTC(2024, 0, day), { weekday: 'short', timeZone: 'UTC' })}
          </span>
        ))}
      </div>
      {weeksOf(days, weekday).map((week, at) => (
        <div key={at} role="row" class="alerts-week-row">
          {week.map((day, index) =>
            day ? (
              <Cell key={index} {...{ day, zone, active }} />
            ) : (
              <span key={index} role="cell" />
            ),
          )}
        </div>
      ))}
    </div>
  );
}

/** 1: Monday. */
function weekdayOf(time: number, zone: string): number {
  const name = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: zone }).format(time);
  return ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(name) + 1;
}

function weeksOf(days: readonly Day[], weekday: number): (Day | undefined)[][] {
  const all = [...Array.from({ length: weekday - 1 }, () => undefined), ...days];
  return Array.from({ length: Math.ceil(all.length / 7) }, (_, at) =>
    Array.from({ length: 7 }, (_none, index) => all[at * 7 + index]),
  );
}

/** Times of a day that are written out. */
const MOST = 3;

interface CellProps extends Props {
  readonly day: Day;
}

function Cell({ day, zone, active }: CellProps) {
  const { from, to, shift_ms } = day;
  const spans = active.filter(([begin = 0, end = 0]) => begin < to && end > from);
  const clock = (time: number) => format.date(time, { ...format.clockOptions(), timeZone: zone });
  const isFirst = format.date(from, { day: 'numeric', timeZone: zone }) === '1';
  const label = format.date(from, {
    day: 'numeric',
    ...(isFirst && { month: 'short' }),
    timeZone: zone,
  });
  return (
    <div role="cell" class={`alerts-day ${spans.length > 0 ? 'active' : ''}`}>
      <span class="row">
        <span class="grow">{label}</span>
        {shift_ms !== 0 && (
          <span class="alerts-shift" title={t.alerts.clocksChange(shift_ms / 60_000)}>
            <Icon of={Clock} size={12} label={t.alerts.clocksChange(shift_ms / 60_000)} />
          </span>
        )}
      </span>
      {spans.length > MOST && <span class="small">{t.alerts.timesADay(spans.length)}</span>}
      {(spans.length > MOST ? [] : spans).map(([begin = 0, end = 0]) => (
        <span key={begin} class="small" title={`${clock(begin)}–${clock(end)}`}>
          {begin < from ? `…${end > to ? '' : clock(end)}` : clock(begin)}
        </span>
      ))}
    </div>
  );
}
