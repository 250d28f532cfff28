interface Props {
  /** 0 to 1; undefined: not known. */
  readonly value: number | undefined;
  /** Part from which it is a warning; `bad`: from which it needs action. */
  readonly warn?: number;
  readonly bad?: number;
  readonly label: string;
}

/** A slim bar of how full something is. Quiet while all is well. */
export function Bar({ value, warn = 0.8, bad = 0.9, label }: Props) {
  const part = value === undefined ? 0 : Math.min(1, Math.max(0, value));
  const mood = part >= bad ? 'bad' : part >= warn ? 'warn' : '';
  return (
    <div
      class={`bar ${mood}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
    >
      <div style={{ transform: `scaleX(${part})` }} />
    </div>
  );
}
