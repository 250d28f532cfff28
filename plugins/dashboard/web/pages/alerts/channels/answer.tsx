import { CircleCheck, TriangleAlert } from 'lucide';
import { ErrorNote, format, Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { TestAnswer } from './draft.ts';

interface Props {
  readonly answer: TestAnswer | undefined;
  readonly error: unknown;
}

/** What the receiver said to a test, in words. */
export function Answer({ answer, error }: Props) {
  if (error !== undefined) return <ErrorNote what={t.alerts.testFailed} error={error} />;
  if (!answer) return null;
  const { ok, host, status, ms, message } = answer;
  const facts = [
    host,
    status === null ? '' : t.alerts.answered(status),
    format.text(format.milliseconds(ms)),
  ];
  return (
    <div class={`note ${ok ? '' : 'bad'} alerts-answer`} role="status">
      <Icon of={ok ? CircleCheck : TriangleAlert} />
      <div class="grow">
        <strong>{ok ? t.alerts.testTaken : t.alerts.testFailed}</strong> {message}
        <div class="muted small">{facts.filter((one) => one !== '').join(' · ')}</div>
      </div>
    </div>
  );
}
