import { Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { NextTimes } from './next-times.tsx';
import { readCron, wordsOf } from './words.ts';

const EXAMPLES = [
  '*/20 * * * * *',
  '0 */5 * * * *',
  '0 0 * * * *',
  '0 0 3 * * *',
  '0 0 9 * * mon-fri',
  '0 0 0 * * 1',
  '0 0 0 1 * *',
];

/** A cron expression, what it means, and its next five times. */
export function CronField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { schedule, error } = readCron(value);
  return (
    <div class="jobs-cron">
      <div class="stack">
        <Select
          label={t.jobs.often}
          value={EXAMPLES.includes(value) ? value : ''}
          options={[
            { value: '', label: t.jobs.own },
            ...EXAMPLES.map((one) => ({ value: one, label: wordsOf(one) })),
          ]}
          onChange={(example) => example !== '' && onChange(example)}
        />
        <TextField
          label={t.jobs.expression}
          hint={t.jobs.expressionHint}
          error={error && t.jobs.expressionWrong(error.reason)}
          value={value}
          mono
          required
          spellcheck={false}
          autocomplete="off"
          onText={onChange}
        />
        {error && <pre class="jobs-place">{error.place}</pre>}
      </div>
      <div>
        <p aria-live="polite">
          <strong>{schedule ? wordsOf(value) : '–'}</strong>
        </p>
        {schedule && <NextTimes expression={value} />}
      </div>
    </div>
  );
}
