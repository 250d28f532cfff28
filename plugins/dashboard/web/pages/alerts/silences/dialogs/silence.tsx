import { useState } from 'preact/hooks';
import { useAlertWords, useMachines, useSubjects } from '../../../../frame/index.ts';
import { beginningOf, type Matcher } from '../../../../parts/alert/index.ts';
import { Field, FormDialog, format, TextField } from '../../../../parts/index.ts';
import { useListedMonitors } from '../../../../parts/monitor/listed.ts';
import { t } from '../../../../strings/index.ts';
import { Choice } from '../../choice.tsx';
import { tagsOf } from '../../tags.tsx';
import { MatcherFields, MatcherText } from '../matcher.tsx';
import { endOf, isNamed, LENGTHS, type Length, useHides, useSilencing } from '../model.ts';

interface Props {
  /** Scope of what it is opened from; undefined: it is chosen here. */
  readonly scope?: Matcher;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

/** Hides alerts for a time; says which before it does. */
export function SilenceDialog({ scope: given, onClose, onDone }: Props) {
  const [scope, setScope] = useState<Matcher>(given ?? {});
  const [reason, setReason] = useState('');
  const [length, setLength] = useState<Length>('hour');
  const [own, setOwn] = useState(format.localInput(Date.now() + 4 * 3_600_000));
  const { create } = useSilencing(onDone);
  const end = endOf(length, own);
  const isReady = isNamed(scope) && reason.trim() !== '' && end > Date.now();
  return (
    <FormDialog
      title={t.alerts.silenceTitle}
      action={t.alerts.silence}
      disabled={!isReady}
      why={reason.trim() === '' ? t.alerts.reasonWanted : undefined}
      wide={given === undefined}
      onClose={onClose}
      onSubmit={() => create(scope, reason, end)}
    >
      {given ? <Given scope={given} /> : <MatcherFields scope={scope} onChange={setScope} />}
      <Lengths {...{ length, own }} onLength={setLength} onOwn={setOwn} />
      <TextField
        label={t.alerts.reason}
        hint={t.alerts.reasonHint}
        value={reason}
        required
        autofocus={given !== undefined}
        autocomplete="off"
        onText={setReason}
      />
      <Hides scope={scope} />
    </FormDialog>
  );
}

/** Line that says what is silenced; where that is more than the alert that it was opened from, it says so. */
function Given({ scope }: { readonly scope: Matcher }) {
  const beginning = scope.monitors?.map(beginningOf).find((one) => one !== undefined);
  const isRule = !scope.agents && !scope.monitors;
  return (
    <>
      <p>
        <MatcherText scope={scope} />
      </p>
      {isRule && <p class="hint">{t.alerts.wholeRule}</p>}
      {beginning !== undefined && <p class="hint">{t.alerts.moreMonitors(beginning)}</p>}
    </>
  );
}

interface LengthsProps {
  readonly length: Length;
  readonly own: string;
  readonly onLength: (length: Length) => void;
  readonly onOwn: (own: string) => void;
}

function Lengths({ length, own, onLength, onOwn }: LengthsProps) {
  return (
    <fieldset class="field">
      <legend class="group-label">{t.alerts.howLong}</legend>
      <Choice words={LENGTHS} chosen={length} labels={t.alerts.lengths} onChoose={onLength} />
      {length === 'own' ? (
        <Field label={t.alerts.until}>
          {(ids) => (
            <input
              {...ids}
              class="input"
              type="datetime-local"
              value={own}
              onInput={({ currentTarget }) => onOwn(currentTarget.value)}
            />
          )}
        </Field>
      ) : (
        <p class="hint">{t.alerts.untilTime(format.when(endOf(length, own)))}</p>
      )}
    </fieldset>
  );
}

/** "Hides 3 open alerts now", with their names. */
export function Hides({ scope }: { readonly scope: Matcher }) {
  const preview = useHides(scope);
  const { placeOf } = useSubjects();
  const { list = [] } = useMachines();
  const monitors = useListedMonitors();
  const { titleOf } = useAlertWords();
  if (!isNamed(scope))
    return (
      <p class="hint">
        {t.alerts.nothingNamed({
          tags: tagsOf([...list, ...monitors]).length > 0,
          monitors: monitors.length > 0,
        })}
      </p>
    );
  return (
    <div class="alerts-hides" aria-live="polite">
      <strong>{preview ? t.alerts.hidesNow(preview.hides) : '…'}</strong>
      {preview && preview.alerts.length > 0 && (
        <ul class="muted small">
          {preview.alerts.slice(0, 5).map((alert) => (
            <li key={alert.id} class="ellipsis">
              {titleOf(alert.rule)} · {placeOf(alert)}
            </li>
          ))}
          {preview.hides > 5 && <li>{t.alerts.andMore(preview.hides - 5)}</li>}
        </ul>
      )}
    </div>
  );
}
