import { TriangleAlert } from 'lucide';
import { useMachines } from '../../frame/machines.ts';
import { t } from '../../strings/index.ts';
import { when } from '../format.ts';
import { Icon } from '../icon.tsx';
import { type Failure, type Failures, remedyOf } from './failures.ts';
import type { Kind } from './probes.ts';

interface Props {
  readonly kind: Kind;
  readonly failures: Failures;
  /** It is known which machine is meant. */
  readonly isOne?: boolean;
}

/** Named in one line; the others are counted. */
const NAMED = 3;

/** What failed, since when, and what to do about it: one entry for each reason, the most frequent first. */
export function Reasons({ kind, failures, isOne = false }: Props) {
  const { nameOf } = useMachines();
  const groups = new Map<string, (readonly [uuid: string, failure: Failure])[]>();
  for (const one of failures) groups.set(one[1].text, [...(groups.get(one[1].text) ?? []), one]);
  if (groups.size === 0) return null;
  const sorted = [...groups].sort(([, a], [, b]) => b.length - a.length);
  return (
    <ul class="probe-reasons" aria-label={t.probes.reasons}>
      {sorted.map(([text, list]) => {
        const remedy = remedyOf(text);
        const names = list.slice(0, NAMED).map(([uuid]) => nameOf(uuid));
        const more = list.length > NAMED ? ` ${t.probes.more(list.length - NAMED)}` : '';
        return (
          <li key={text} class="note warn">
            <Icon of={TriangleAlert} />
            <div class="grow">
              <p>
                {!isOne && <strong>{`${names.join(', ')}${more}: `}</strong>}
                {text || t.tasks.noReason}
                <span class="muted">{` · ${sinceOf(list)}`}</span>
              </p>
              {remedy && <p class="muted">{t.probes.remedies[remedy](kind)}</p>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** "Last answer: 14:02.", of several machines the newest. */
export function sinceOf(list: readonly (readonly [uuid: string, failure: Failure])[]): string {
  const times = list.flatMap(([, { answeredAt }]) => answeredAt ?? []);
  return times.length === 0
    ? t.probes.noAnswerToday
    : t.probes.lastAnswer(when(Math.max(...times)));
}
