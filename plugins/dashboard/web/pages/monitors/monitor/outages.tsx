import { Loaded } from '../../../frame/index.ts';
import { Card, format, sentenceOf } from '../../../parts/index.ts';
import { reasonText } from '../../../parts/monitor/reason.ts';
import { t } from '../../../strings/index.ts';
import { isElsewhere, useOutages, usePlaceName } from './model.ts';

interface Props {
  readonly name: string;
  readonly since: number;
}

/** Outages that are shown before "more". */
const FIRST = 8;

/** Outages, the newest first: when, for how long, why, seen from where. */
export function Outages({ name, since }: Props) {
  const outages = useOutages(name, since);
  const nameOf = usePlaceName();
  return (
    <Card title={t.monitors.outages}>
      <Loaded of={outages} what={t.monitors.unreadable}>
        {(list) => {
          if (list.length === 0) return <p class="muted">{t.monitors.noOutage}</p>;
          const lines = list.map(({ from, to, cause, places }) => (
            <li key={from}>
              <div class="row wrap">
                <span
                  title={`${format.dateTime(from)} – ${to === null ? '' : format.dateTime(to)}`}
                >
                  {to === null ? `${format.when(from)} – ${t.monitors.now}` : format.span(from, to)}
                </span>
                <strong>{format.duration((to ?? Date.now()) - from)}</strong>
                {places.some(isElsewhere) && (
                  <span class="muted small">
                    {t.monitors.seenFrom(places.map(nameOf).join(', '))}
                  </span>
                )}
              </div>
              {cause !== '' && (
                <p class="muted small monitors-cause">{sentenceOf(reasonText(cause))}</p>
              )}
            </li>
          ));
          return (
            <>
              <ul class="monitors-outages">{lines.slice(0, FIRST)}</ul>
              {lines.length > FIRST && (
                <details>
                  <summary>{t.monitors.andMore(lines.length - FIRST)}</summary>
                  <ul class="monitors-outages">{lines.slice(FIRST)}</ul>
                </details>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
