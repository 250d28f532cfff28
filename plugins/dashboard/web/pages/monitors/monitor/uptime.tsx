import type { Methods } from '@svc/client';
import { Loaded } from '../../../frame/index.ts';
import type { Resource } from '../../../frame/resources.ts';
import { Amount, Card, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { uptimeFigure } from '../uptime-figure.ts';

export type Uptime = Methods['monitor_query_uptime']['result'];
export type Span = Uptime['spans'][number];

const DAY_MS = 86_400_000;

/** Uptime of the last spans with how much of each is known, and a bar of days. */
export function UptimeCard({ uptime }: { readonly uptime: Resource<Uptime> }) {
  return (
    <Card title={t.monitors.uptime}>
      <Loaded of={uptime} what={t.monitors.unreadable}>
        {({ spans, days }) => (
          <div class="stack">
            <Days days={days} />
            <table class="monitors-plain">
              <thead>
                <tr>
                  <th>{t.monitors.span}</th>
                  <th class="num">{t.monitors.uptime}</th>
                  <th class="num">{t.monitors.down}</th>
                  <th class="num">{t.monitors.coverage}</th>
                </tr>
              </thead>
              <tbody>
                {spans.map((span) => (
                  <tr key={span.from}>
                    <td>{t.monitors.spans(spanDays(span))}</td>
                    <td class="num">
                      <Amount of={uptimeFigure(span.uptime)} />
                    </td>
                    <td class="num">{downText(span)}</td>
                    <td class="num muted">
                      <Amount
                        of={
                          span.coverage === 0
                            ? undefined
                            : format.percent(Math.floor(span.coverage * 100))
                        }
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

/** Length of a span, days. */
export const spanDays = ({ from, to }: Span): number => Math.round((to - from) / DAY_MS);

/** Time of a span that was down; a dash where nothing is known. */
export const downText = ({ down_s, coverage }: Span): string =>
  coverage === 0 ? '–' : down_s === 0 ? t.monitors.never : format.duration(down_s * 1000);

function Days({ days }: { readonly days: readonly Span[] }) {
  const known = days.filter(({ coverage }) => coverage > 0);
  const bad = known.filter(({ down_s }) => down_s > 0).length;
  return (
    <div>
      <div class="monitors-days" role="img" aria-label={t.monitors.daysText(known.length, bad)}>
        {days.map((day) => (
          <span key={day.from} class={day.coverage === 0 ? 'none' : ''} title={dayText(day)}>
            {day.down_s > 0 && <i style={{ height: `${heightOf(day)}%` }} />}
          </span>
        ))}
      </div>
      <div class="row muted small">
        <span class="grow">{t.monitors.daysAgo(days.length)}</span>
        <span>{t.monitors.today}</span>
      </div>
    </div>
  );
}

/** Part of a day's cell that its outage takes: a second is seen, too. */
const LEAST = 25;

function heightOf({ up_s, degraded_s, down_s }: Span): number {
  return Math.max(LEAST, (100 * down_s) / Math.max(1, up_s + degraded_s + down_s));
}

function dayText(day: Span): string {
  const uptime = uptimeFigure(day.uptime);
  return [
    format.day(day.from),
    uptime ? format.text(uptime) : t.monitors.notKnown,
    day.down_s > 0 ? `${t.monitors.down} ${downText(day)}` : '',
  ]
    .filter((one) => one !== '')
    .join(' · ');
}
