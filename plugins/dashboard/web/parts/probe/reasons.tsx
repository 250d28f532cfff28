import { TriangleAlert } from 'lucide';
import { useMachines } from '../../frame/machines.ts';
import { t } from '../../strings/index.ts';
import { HowToAllow } from '../allow.tsx';
import { when } from '../format.ts';
import { Icon } from '../icon.tsx';
import { type Failure, type Failures, remedyOf } from './failures.ts';
import type { Kind } from './probes.ts';

interface Props {
  readonly kind: Kind;
  readonly failures: Failures;
  /** Tells whether it is clear which machine is meant. */
  readonly isOne?: boolean;
}

/** Named in one line; the others are counted. */
const NAMED = 3;

/** List of what failed, since when, and what to do about it: one entry for each reason, the most frequent first. */
export function Reasons({ kind, failures, isOne = false }: Props) {
  const { nameOf } = useMachines();
  const groups = new Map<string, { readonly failure: Failure; readonly names: string[] }>();
  for (const [uuid, failure] of failures) {
    const key = `${failure.text} ${sinceOf(failure)}`;
    groups.set(key, { failure, names: [...(groups.get(key)?.names ?? []), nameOf(uuid)] });
  }
  if (groups.size === 0) return null;
  const sorted = [...groups].sort(([, a], [, b]) => b.names.length - a.names.length);
  return (
    <ul class="probe-reasons" aria-label={t.probes.reasons}>
      {sorted.map(([key, { failure, names }]) => {
        const remedy = remedyOf(failure.text);
        const more = names.length > NAMED ? ` ${t.probes.more(names.length - NAMED)}` : '';
        return (
          <li key={key} class="note warn">
            <Icon of={TriangleAlert} />
            <div class="grow">
              <p>
                {!isOne && <strong>{`${names.slice(0, NAMED).join(', ')}${more}: `}</strong>}
                {failure.text || t.tasks.noReason}
                <span class="muted">{` · ${sinceOf(failure)}`}</span>
              </p>
              {remedy === 'forbidden' ? (
                <HowToAllow kind={kind} />
              ) : (
                remedy && <p class="muted">{t.probes.remedies[remedy]}</p>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** "Last answer: 14:02". */
export const sinceOf = ({ answeredAt }: Failure): string =>
  answeredAt === undefined ? t.probes.noAnswerToday : t.probes.lastAnswer(when(answeredAt));
