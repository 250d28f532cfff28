import { errorText, Field, FormDialog, format, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { HoldSelect } from '../rules/hold.tsx';
import { Hides } from '../silences/dialogs/silence.tsx';
import { MatcherFields } from '../silences/matcher.tsx';
import { TagChoice } from '../tags.tsx';
import { TimeField } from '../time-field.tsx';
import { Calendar } from './calendar.tsx';
import { cronOf, readWeekly } from './cron.ts';
import {
  type Draft,
  lastDay,
  useStatusPages,
  useWindowDraft,
  useWindowTimes,
  type Window,
} from './model.ts';
import { ZoneField } from './zone-field.tsx';

interface Props {
  /** Undefined: a new one is made. */
  readonly window: Window | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A window of maintenance, with the days on which it is. */
export function WindowDialog({ window, onClose, onDone }: Props) {
  const { draft, change, made, save } = useWindowDraft(window, onDone);
  const times = useWindowTimes(draft);
  return (
    <FormDialog
      wide
      title={window ? t.alerts.windowTitle(window.name) : t.alerts.newWindow}
      action={t.alerts.save}
      disabled={made === undefined || times.error !== undefined}
      why={draft.name.trim() === '' ? t.alerts.why.name : undefined}
      onClose={onClose}
      onSubmit={save}
    >
      <TextField
        label={t.alerts.name}
        value={draft.name}
        required
        autofocus={!window}
        autocomplete="off"
        onText={(name) => change({ name })}
      />
      <Times draft={draft} onChange={change} />
      {times.error !== undefined && <p class="hint bad">{errorText(times.error)}</p>}
      {times.active && (
        <>
          <p class="hint">{t.alerts.calendar(draft.zone)}</p>
          <Calendar zone={draft.zone} active={times.active} />
          <NextFive zone={draft.zone} spans={times.active} />
        </>
      )}
      <Effect draft={draft} onChange={change} />
      <MatcherFields scope={draft.scope} onChange={(scope) => change({ scope })} />
      {times.active && !beginsNow(times.active) ? (
        <p class="hint">{t.alerts.hidesThen}</p>
      ) : (
        <Hides scope={draft.scope} />
      )}
    </FormDialog>
  );
}

/** Tells whether one of the times holds at this moment. */
const beginsNow = (spans: readonly (readonly number[])[]): boolean =>
  spans.some(([from = 0, to = 0]) => from <= Date.now() && to > Date.now());

interface PartProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

const WAYS = ['again', 'once'] as const;
const LENGTHS = [900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];

function Times({ draft, onChange }: PartProps) {
  return (
    <>
      <div class="row wrap">
        {WAYS.map((way) => (
          <button
            type="button"
            class="button"
            key={way}
            aria-pressed={way === draft.way}
            onClick={() => onChange({ way })}
          >
            {t.alerts.windowWays[way]}
          </button>
        ))}
      </div>
      {draft.way === 'once' ? (
        <div class="alerts-fields">
          {(['from', 'to'] as const).map((name) => (
            <Field key={name} label={t.alerts.quietTimes[name]}>
              {(ids) => (
                <input
                  {...ids}
                  class="input"
                  type="datetime-local"
                  required
                  value={draft[name]}
                  onInput={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
                />
              )}
            </Field>
          ))}
        </div>
      ) : (
        <Weekly draft={draft} onChange={onChange} />
      )}
    </>
  );
}

/** Sunday last. */
const WEEK = [1, 2, 3, 4, 5, 6, 0];
const dayName = (day: number) =>
  format.date(Date.UTC(2024, 0, 7 + day), { weekday: 'short', timeZone: 'UTC' });

function Weekly({ draft, onChange }: PartProps) {
  const weekly = readWeekly(draft.cron);
  const toggle = (day: number) => {
    if (!weekly) return;
    const all = weekly.days.length === 0 ? [] : weekly.days;
    const days = all.includes(day) ? all.filter((one) => one !== day) : [...all, day];
    onChange({ cron: cronOf({ ...weekly, days }) });
  };
  return (
    <>
      {weekly && (
        <fieldset class="field">
          <legend class="group-label">{t.alerts.onDays}</legend>
          <div class="row wrap">
            {WEEK.map((day) => (
              <button
                type="button"
                class="tag"
                key={day}
                aria-pressed={weekly.days.includes(day)}
                onClick={() => toggle(day)}
              >
                {dayName(day)}
              </button>
            ))}
            {weekly.days.length === 0 && <span class="muted small">{t.alerts.everyDay}</span>}
          </div>
        </fieldset>
      )}
      <div class="alerts-fields">
        {weekly && (
          <TimeField
            label={t.alerts.begins}
            time={weekly.time}
            onTime={(time) => time !== '' && onChange({ cron: cronOf({ ...weekly, time }) })}
          />
        )}
        <HoldSelect
          label={t.alerts.lasts}
          value={draft.duration_s}
          times={LENGTHS}
          onChange={(duration_s) => onChange({ duration_s })}
        />
        <ZoneField zone={draft.zone} onChange={(zone) => onChange({ zone })} />
        <TextField
          label={t.alerts.cron}
          hint={t.alerts.cronHint}
          value={draft.cron}
          mono
          spellcheck={false}
          autocomplete="off"
          onText={(cron) => onChange({ cron })}
        />
      </div>
    </>
  );
}

function Effect({ draft, onChange }: PartProps) {
  const pages = useStatusPages();
  return (
    <>
      <Select
        label={t.alerts.effect}
        value={draft.effect}
        options={(['quiet', 'pause'] as const).map((value) => ({
          value,
          label: t.alerts.effects[value],
        }))}
        onChange={(effect) => onChange({ effect })}
      />
      {(pages?.size ?? 0) + draft.public.length > 0 ? (
        <TagChoice
          label={t.alerts.onPages}
          all={[...(pages?.keys() ?? [])]}
          wordsOf={(slug) => pages?.get(slug) ?? slug}
          chosen={draft.public}
          onChange={(slugs) => onChange({ public: slugs })}
        />
      ) : (
        <p class="hint">
          {t.alerts.onPages}: {t.alerts.noPages[pages ? 'none' : 'denied']}
        </p>
      )}
    </>
  );
}

interface NextProps {
  readonly zone: string;
  readonly spans: readonly (readonly number[])[];
}

/** The next five times, with the day, by the clock of the zone. */
export function NextFive({ zone, spans }: NextProps) {
  const now = Date.now();
  const coming = spans.filter(([, to = 0]) => to > now);
  const last = lastDay(now, zone);
  const inside = coming.filter(([from = 0]) => from < last);
  // What comes later than the calendar shows stands here alone.
  const next = (inside.length > 0 ? inside : coming.slice(0, 1)).slice(0, 5);
  if (next.length === 0) return <p class="muted small">{t.alerts.neverAgain}</p>;
  const day: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    ...format.clockOptions(),
    timeZone: zone,
  };
  return (
    <ol class="alerts-next small" aria-label={t.alerts.nextTimes}>
      {next.map(([from = 0, to = 0]) => (
        <li key={from}>
          <time dateTime={new Date(from).toISOString()}>{format.date(from, day)}</time>
          <span class="muted">{format.duration(to - from)}</span>
        </li>
      ))}
    </ol>
  );
}
