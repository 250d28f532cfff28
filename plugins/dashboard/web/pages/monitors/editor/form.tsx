import { FlaskConical, KeyRound, Save } from 'lucide';
import { navigate } from '../../../frame/index.ts';
import { CodeField } from '../../../parts/code-field.tsx';
import {
  Button,
  Checkbox,
  ErrorNote,
  Form,
  format,
  Icon,
  Select,
  TextField,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isChecked, type KindForm, type Monitor } from '../model.ts';
import {
  DOMAIN_INTERVALS_S,
  type Draft,
  INTERVALS_S,
  isBlind,
  lacking,
  titles,
  useCondition,
  type useDraft,
} from './draft.ts';
import { KindFields } from './kind-fields.tsx';
import { ParentField } from './parent.tsx';
import { PlacesField } from './places.tsx';
import { Result } from './result.tsx';
import { Words } from './words.tsx';

interface Props {
  readonly work: ReturnType<typeof useDraft>;
  readonly form: KindForm | undefined;
  readonly monitor: Monitor | undefined;
  /** Address to which Cancel leads; undefined: there is nothing but this form. */
  readonly back: string | undefined;
}

/** Form below the kind: what is needed first, everything else folded. */
export function MonitorForm({ work, form, monitor, back }: Props) {
  const { draft, answer, isChanged, trying, saving, change } = work;
  const missing = lacking(draft, form);
  const isReady = missing.length === 0 && !saving.isBusy;
  const asks = isChecked(draft.kind);
  return (
    <Form onSubmit={() => isReady && saving.run()}>
      <div class="monitors-pair">
        <TextField
          label={t.monitors.name}
          value={draft.name}
          autocomplete="off"
          onText={(name) => change({ name, isNamed: name !== '' })}
        />
        {asks && <Interval draft={draft} onChange={change} />}
      </div>
      <Copied {...{ draft, form }} onChange={change} />
      <KindFields {...{ draft, form, monitor }} onChange={change} />
      {asks && <Advanced {...{ draft, monitor }} onChange={change} />}
      <ParentField
        {...(monitor && { own: monitor.name })}
        parent={draft.parent}
        onChange={(parent) => change({ parent })}
      />
      <Words {...{ draft, monitor }} onChange={change} />
      {answer && <Result of={answer} />}
      {asks && isChanged && isBlind(draft, monitor) && <p class="hint">{t.monitors.blind}</p>}
      {trying.error !== undefined && <ErrorNote error={trying.error} />}
      {saving.error !== undefined && <ErrorNote error={saving.error} />}
      <footer class="row wrap">
        {asks && (
          <Button
            icon={FlaskConical}
            busy={trying.isBusy}
            disabled={missing.length > 0}
            onClick={() => void trying.run()}
          >
            {t.monitors.try}
          </Button>
        )}
        <Button kind="primary" type="submit" icon={Save} busy={saving.isBusy} disabled={!isReady}>
          {t.monitors.save}
        </Button>
        {back !== undefined && <Button onClick={() => navigate(back)}>{t.parts.cancel}</Button>}
        {missing.length > 0 && (
          <span class="muted small">{t.monitors.lacking(missing.join(', '))}</span>
        )}
      </footer>
    </Form>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

function Interval({ draft: { interval_s, kind }, onChange }: PartProps) {
  const usual: readonly number[] = kind === 'domain' ? DOMAIN_INTERVALS_S : INTERVALS_S;
  const all = [...new Set([...usual, interval_s])].sort((a, b) => a - b);
  return (
    <Select
      label={t.monitors.fields.interval}
      value={String(interval_s)}
      options={all.map((one) => ({ value: String(one), label: format.duration(one * 1000) }))}
      onChange={(value) => onChange({ interval_s: Number(value) })}
    />
  );
}

interface CopiedProps extends PartProps {
  readonly form: KindForm | undefined;
}

/** Secrets that a copy lacks: they are typed, or it goes without. */
function Copied({ draft: { asked }, form, onChange }: CopiedProps) {
  const fields = (form?.fields ?? []).filter(({ name }) => asked.includes(name));
  if (fields.length === 0) return null;
  return (
    <div class="note warn" role="status">
      <Icon of={KeyRound} />
      <span class="grow">{t.monitors.notCopied(titles(fields).join(', '))}</span>
      <Button onClick={() => onChange({ asked: [] })}>{t.monitors.copyWithout}</Button>
    </div>
  );
}

type Patience = 'timeout_s' | 'retries' | 'retry_s' | 'recover_after' | 'down_when';

interface AdvancedProps extends PartProps {
  readonly monitor: Monitor | undefined;
}

/** From where it is checked, when a check is good, and how many failures it takes. */
function Advanced({ draft, monitor, onChange }: AdvancedProps) {
  const check = useCondition(draft, monitor);
  const number = (name: Patience, hint: string) => (
    <TextField
      label={t.monitors.fields[name]}
      type="number"
      min={name === 'retries' ? 0 : 1}
      value={draft[name] === null ? '' : String(draft[name])}
      placeholder={hint}
      onText={(text) => onChange({ [name]: text === '' ? null : Number(text) })}
    />
  );
  return (
    <>
      <details open={draft.condition !== ''}>
        <summary>{t.monitors.goodWhen}</summary>
        <div class="stack monitors-more">
          <CodeField
            label={t.monitors.fields.condition}
            hint={t.monitors.conditions[draft.kind]}
            value={draft.condition}
            check={check}
            onText={(condition) => onChange({ condition })}
          />
          <Checkbox
            label={t.monitors.fields.upside_down}
            checked={draft.upside_down}
            onChange={(upside_down) => onChange({ upside_down })}
          />
        </div>
      </details>
      <details>
        <summary>{t.monitors.fromWhere}</summary>
        <div class="stack monitors-more">
          {draft.kind !== 'domain' && (
            <PlacesField places={draft.places} onChange={(places) => onChange({ places })} />
          )}
          <div class="monitors-pair">
            {number('retries', '2')}
            {number('retry_s', '20')}
            {number('recover_after', '1')}
            {number('timeout_s', '10')}
            {draft.kind !== 'domain' && number('down_when', t.monitors.fields.majority)}
          </div>
        </div>
      </details>
    </>
  );
}
