import { format, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

type Spec = { readonly [name: string]: unknown };

interface Props {
  readonly spec: Spec;
  readonly onChange: (spec: Spec) => void;
}

const [HOUR_S, DAY_S] = [3_600, 86_400];
const PERIODS_S = [60, 300, 600, 900, 1_800, HOUR_S, 6 * HOUR_S, 12 * HOUR_S, DAY_S, 7 * DAY_S];
const GRACES_S = [60, 300, 600, 1_800, HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, DAY_S];
const GRACE_S = 300;
const CRON = 'cron';

/** When a heartbeat is called: at an interval or by a cron line, and how late it may be. */
export function CallTimes({ spec, onChange }: Props) {
  const { period_s: _period, cron, zone, ...rest } = spec;
  const isCron = cron !== undefined;
  const choose = (value: string) =>
    onChange(
      value === CRON
        ? { ...rest, cron: '', zone: Intl.DateTimeFormat().resolvedOptions().timeZone }
        : { ...rest, period_s: Number(value) },
    );
  return (
    <div class="monitors-fields">
      <Select
        label={t.monitors.calls.runs}
        value={isCron ? CRON : String(spec['period_s'] ?? HOUR_S)}
        options={[
          ...lengths(PERIODS_S, spec['period_s']).map(({ value, label }) => ({
            value,
            label: t.monitors.every(label),
          })),
          { value: CRON, label: t.monitors.calls.cron },
        ]}
        onChange={choose}
      />
      <Select
        label={t.monitors.calls.grace}
        value={String(spec['grace_s'] ?? GRACE_S)}
        options={lengths(GRACES_S, spec['grace_s'])}
        onChange={(value) => onChange({ ...spec, grace_s: Number(value) })}
      />
      {isCron && (
        <>
          <TextField
            label={t.monitors.calls.cronLine}
            hint={t.monitors.calls.cronHint}
            value={String(cron)}
            placeholder="0 5 * * *"
            mono
            autocomplete="off"
            spellcheck={false}
            onText={(text) => onChange({ ...spec, cron: text })}
          />
          <TextField
            label={t.monitors.calls.zone}
            value={String(zone ?? '')}
            placeholder="UTC"
            offered={Intl.supportedValuesOf('timeZone')}
            autocomplete="off"
            onText={(text) => onChange({ ...spec, zone: text })}
          />
        </>
      )}
    </div>
  );
}

/** Lengths of time to choose from, with the one that is set. */
const lengths = (usual: readonly number[], set: unknown) =>
  [...new Set([...usual, ...(typeof set === 'number' ? [set] : [])])]
    .sort((a, b) => a - b)
    .map((one) => ({ value: String(one), label: format.duration(one * 1_000) }));
