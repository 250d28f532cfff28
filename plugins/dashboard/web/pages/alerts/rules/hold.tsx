import { format, Select } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

const TIMES = [0, 10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600];

interface Props {
  readonly label: string;
  /** Seconds. */
  readonly value: number;
  readonly onChange: (seconds: number) => void;
  /** Text of 0. */
  readonly none?: string;
  readonly times?: readonly number[];
}

/** A time to choose; one that was set otherwise is among them. */
export function HoldSelect({
  label,
  value,
  onChange,
  none = t.alerts.atOnce,
  times = TIMES,
}: Props) {
  const all = [...new Set([...times, value])].sort((a, b) => a - b);
  return (
    <Select
      label={label}
      value={String(value)}
      options={all.map((seconds) => ({
        value: String(seconds),
        label: seconds === 0 ? none : format.duration(seconds * 1_000),
      }))}
      onChange={(text) => onChange(Number(text))}
    />
  );
}
