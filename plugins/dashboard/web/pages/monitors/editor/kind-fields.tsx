import { FormField } from '../../../parts/form-field.tsx';
import { Checkbox } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { KindForm, Monitor } from '../model.ts';
import { CallTimes } from './call-times.tsx';
import type { Draft } from './draft.ts';
import { GroupFields } from './group-fields.tsx';
import { FILLED, guess } from './guess.ts';

type Field = KindForm['fields'][number];

interface Props {
  readonly draft: Draft;
  readonly form: KindForm | undefined;
  readonly monitor: Monitor | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** Fields of the kind: those that the one field has filled are folded with the optional ones. */
export function KindFields({ draft, form, monitor, onChange }: Props) {
  if (!form) return null;
  const { asked, kind, spec, target } = draft;
  if (kind === 'group')
    return <GroupFields spec={spec} onChange={(next) => onChange({ spec: next })} />;
  const isRead = !('fault' in guess(target, kind));
  const isFirst = ({ name, required }: Field) =>
    asked.includes(name) || (required && !(isRead && FILLED[kind].includes(name)));
  const drawn = (list: KindForm['fields']) => (
    <div class="monitors-fields">
      {list.map((field) => (
        <KindField key={field.name} {...{ draft, field, monitor, onChange }} />
      ))}
    </div>
  );
  const called = kind === 'heartbeat';
  const first = called ? [] : form.fields.filter(isFirst);
  const others = called
    ? form.fields.filter(({ name }) => name === 'run_grace_s' || name === 'methods')
    : form.fields.filter((field) => !isFirst(field));
  return (
    <>
      {called && <CallTimes spec={spec} onChange={(next) => onChange({ spec: next })} />}
      {first.length > 0 && drawn(first)}
      {others.length > 0 && (
        <details>
          <summary>{t.monitors.kindFields(t.monitors.kinds[kind])}</summary>
          <div class="monitors-more">{drawn(others)}</div>
        </details>
      )}
    </>
  );
}

interface FieldProps extends Omit<Props, 'form'> {
  readonly field: Field;
}

function KindField({ draft: { secret, spec }, field, monitor, onChange }: FieldProps) {
  const { name } = field;
  const isSet = monitor?.secret[name]?.set === true;
  const value = field.secret ? secret[name] : spec[name];
  const set = (to: unknown) =>
    onChange(
      field.secret ? { secret: { ...secret, [name]: to } } : { spec: { ...spec, [name]: to } },
    );
  const isKept = isSet && value !== null;
  return (
    <div>
      <FormField
        field={inWords(field, isKept)}
        value={value ?? (field.secret ? '' : field.default)}
        isSet={isKept}
        words={t.monitors}
        onChange={set}
      />
      {isSet && (
        <Checkbox
          label={t.monitors.secretRemove}
          checked={value === null}
          onChange={(isOver) => set(isOver ? null : '')}
        />
      )}
    </div>
  );
}

/** Field with its title and help in the reader's language; a list that is set says so in the place of its example. */
const inWords = (field: Field, isSet: boolean): Field => ({
  ...field,
  title: t.monitors.titleOf(field.name, field.title),
  ...(field.help !== undefined && { help: t.monitors.helpOf(field.name, field.help) }),
  ...(isSet && { example: t.monitors.secretSet }),
});
