import type { Methods } from '@svc/client';
import type { ComponentChildren } from 'preact';
import { Checkbox, Field, Select, TextArea, TextField } from './field.tsx';

/** Field of a kind of channel, or of monitor, as the server describes it. */
type FieldForm = Methods['monitor_kinds']['result'][number]['fields'][number];

interface Props {
  readonly field: FieldForm;
  readonly value: unknown;
  /** Tells whether the server holds this secret. */
  readonly isSet: boolean;
  readonly words: { readonly onePerLine: string; readonly secretSet: string };
  readonly onChange: (value: unknown) => void;
}

/** One field of a form that the server describes. */
export function FormField({ field, value, isSet, words, onChange }: Props) {
  const { title, type, required, secret, choices = [], example } = field;
  const help = field.help === undefined ? undefined : hintOf(field.help);
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
        hint={help ?? (type === 'list' ? words.onePerLine : undefined)}
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
      placeholder={isSet ? words.secretSet : (example ?? '')}
      onText={(typed) => onChange(type === 'number' && typed !== '' ? Number(typed) : typed)}
    />
  );
}

/** Help as a sentence begins, with what stands in backticks as code. */
const hintOf = (help: string): ComponentChildren =>
  (/^[a-z]/.test(help) ? help.charAt(0).toUpperCase() + help.slice(1) : help)
    .split('`')
    .map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part));

const lines = (text: string): readonly string[] => (text === '' ? [] : text.split(/\n|,\s*/));
