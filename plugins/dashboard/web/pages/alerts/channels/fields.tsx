import { Checkbox, Field, Select, TextArea, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Channel, Kind } from '../model.ts';
import type { Draft } from './draft.ts';
import { isFilledByBrowser } from './subscription.ts';

type KindField = Kind['fields'][number];

interface Props {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly channel: Channel | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** Form of a kind of channel, made from what the server says of it. Fields that may be empty come last. */
export function KindFields({ kind, draft, channel, onChange }: Props) {
  const set = ({ name, secret }: KindField, value: unknown) =>
    onChange(
      secret
        ? { secret: { ...draft.secret, [name]: value } }
        : { config: { ...draft.config, [name]: value } },
    );
  const isKey = ({ name }: KindField) => isFilledByBrowser(kind.kind, name);
  const drawn = (isWanted: (field: KindField) => boolean) =>
    kind.fields
      .filter(isWanted)
      .map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={(field.secret ? draft.secret : draft.config)[field.name]}
          isSet={channel?.secret[field.name]?.set === true}
          onChange={(value) => set(field, value)}
        />
      ));
  const keys = drawn(isKey);
  const others = drawn(({ required }) => !required);
  return (
    <>
      {drawn((field) => field.required && !isKey(field))}
      {keys.length > 0 && (
        <details>
          <summary>{t.alerts.browser.keys}</summary>
          <div class="stack alerts-more">{keys}</div>
        </details>
      )}
      {others.length > 0 && (
        <details open={others.length < 3}>
          <summary>{t.alerts.optionalFields}</summary>
          <div class="stack alerts-more">{others}</div>
        </details>
      )}
    </>
  );
}

interface OneProps {
  readonly field: KindField;
  readonly value: unknown;
  /** Tells whether the server holds this secret. */
  readonly isSet: boolean;
  readonly onChange: (value: unknown) => void;
}

function OneField({ field, value, isSet, onChange }: OneProps) {
  const { title, type, help, required, secret, choices = [], example } = field;
  const text = value === undefined || value === null ? '' : String(value);
  if (type === 'boolean')
    return (
      <Field label="" hint={help}>
        {() => <Checkbox label={title} checked={value === true} onChange={onChange} />}
      </Field>
    );
  if (type === 'choice')
    return (
      <Select
        label={title}
        hint={help}
        value={text}
        options={[
          ...(required ? [] : [{ value: '', label: '–' }]),
          ...choices.map((one) => ({ value: one, label: one })),
        ]}
        onChange={onChange}
      />
    );
  if (type === 'list' || type === 'multiline')
    return (
      <TextArea
        label={title}
        hint={help ?? (type === 'list' ? t.alerts.onePerLine : undefined)}
        rows={type === 'list' ? 2 : 4}
        value={Array.isArray(value) ? value.join('\n') : text}
        {...(example !== undefined && { placeholder: example })}
        onText={(typed) => onChange(type === 'list' ? lines(typed) : typed)}
      />
    );
  return (
    <TextField
      label={title}
      hint={help}
      type={secret ? 'password' : type === 'number' ? 'number' : type === 'url' ? 'url' : 'text'}
      value={text}
      required={required && !isSet}
      autocomplete={secret ? 'new-password' : 'off'}
      spellcheck={false}
      placeholder={isSet ? t.alerts.secretSet : (example ?? '')}
      onText={(typed) => onChange(type === 'number' && typed !== '' ? Number(typed) : typed)}
    />
  );
}

const lines = (text: string): readonly string[] => (text === '' ? [] : text.split(/\n|,\s*/));
