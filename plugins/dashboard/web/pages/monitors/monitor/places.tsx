import { Link, to } from '../../../frame/index.ts';
import { Amount, Card, format } from '../../../parts/index.ts';
import { reasonText } from '../../../parts/monitor/reason.ts';
import { StateMark } from '../../../parts/monitor/state.tsx';
import { t } from '../../../strings/index.ts';
import type { Monitor } from '../model.ts';
import { isElsewhere, usePlaceName } from './model.ts';

interface Props {
  readonly monitor: Monitor;
}

/** Places side by side: what each says, and what it measured last. */
export function Places({ monitor }: Props) {
  const nameOf = usePlaceName();
  const { states } = monitor;
  const [found, wanted] = machinesOf(monitor);
  return (
    <Card title={t.monitors.places.title}>
      <div class="stack">
        {found < wanted && <p class="monitors-warn">{t.monitors.places.tooFew(found, wanted)}</p>}
        <ul class="monitors-places">
          {states.map(({ place, state, since, last_at, ms, code, detail, problem }) => (
            <li key={place}>
              <div class="row">
                <strong class="grow ellipsis">
                  {place === 'server' ? (
                    nameOf(place)
                  ) : (
                    <Link to={to('agent', place)}>{nameOf(place)}</Link>
                  )}
                </strong>
                <StateMark of={state} />
              </div>
              <div class="row">
                <span class="monitors-figure">
                  <Amount of={ms === null ? undefined : format.milliseconds(ms)} />
                </span>
                {code !== null && code > 0 && <span class="muted">{t.monitors.status(code)}</span>}
                <span class="grow" />
                {problem === null && (
                  <span class="muted small" title={format.dateTime(last_at)}>
                    {format.ago(Date.now() - last_at)}
                  </span>
                )}
              </div>
              {detail !== '' && state !== 'up' && (
                <p class="monitors-why small">{reasonText(detail)}</p>
              )}
              {problem !== null && (
                <p class="monitors-warn small">{t.monitors.places.problem(problem)}</p>
              )}
              <p class="muted small">
                {t.monitors.since(format.when(since), format.duration(Date.now() - since))}
              </p>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}

/** Machines that check it, and how many should. */
function machinesOf({ places: { agents, tags, pick }, states }: Monitor): [number, number] {
  const named = agents?.length ?? 0;
  const found = states.filter(({ place }) => isElsewhere(place)).length;
  return [found, named === 0 && tags === undefined ? 0 : (pick ?? Math.max(1, named))];
}

/** The last answer that was not good; nothing where there is none, or where it is not for this reader. */
export function LastFailure({ monitor: { last_answer: last } }: Props) {
  const nameOf = usePlaceName();
  if (!last) return null;
  const { at, place, text } = last;
  return (
    <Card title={t.monitors.lastAnswer}>
      <p class="muted small">
        {format.dateTime(at)}
        {isElsewhere(place) && ` · ${t.monitors.seenFrom(nameOf(place))}`}
      </p>
      <pre class="monitors-sample">{text}</pre>
    </Card>
  );
}
