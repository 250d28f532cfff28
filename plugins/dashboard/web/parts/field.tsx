import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  /** One sentence below. */
  readonly hint?: ComponentChildren;
  /** Text in place of the hint. */
  readonly error?: string | undefined;
  /** Gets the ids that tie the control to its label and hint. */
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby'?: string;
  }) => ComponentChildren;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const below = error ?? hint;
  const note = `${id}-note`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(below !== undefined && { 'aria-describedby': note }) })}
      {below !== undefined && (
        <div id={note} class={error === undefined ? 'hint' : 'hint bad'}>
          {below}
        </div>
      )}
    </div>
  );
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly type?: 'text' | 'password' | 'number' | 'search' | 'url' | 'date' | 'datetime-local';
  readonly name?: string;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly autofocus?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | 'any';
  readonly spellcheck?: boolean;
  /** Uses the font for ids and code. */
  readonly mono?: boolean;
  /** Texts that the browser offers. */
  readonly offered?: readonly string[];
}

/** One line of text with its label. */
export function TextField({ label, hint, error, onText, mono, offered, ...rest }: InputProps) {
  const list = useId();
  const attributes = { ...rest, ...(offered && { list }) } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <>
          <input
            {...ids}
            {...attributes}
            class={mono ? 'input mono' : 'input'}
            aria-invalid={error !== undefined}
            onInput={(event) => onText(event.currentTarget.value)}
          />
          {offered && <Offered id={list} texts={offered} />}
        </>
      )}
    </Field>
  );
}

interface OfferedProps {
  readonly id: string;
  readonly texts: readonly string[];
}

/** Texts that the browser offers for the input with this id as its `list`. */
export const Offered = ({ id, texts }: OfferedProps) => (
  <datalist id={id}>
    {texts.map((text) => (
      <option key={text} value={text} />
    ))}
  </datalist>
);

interface SearchProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** Text in place of the label. */
  readonly placeholder?: string;
  readonly class?: string;
}

/** Field that filters a list; its label is for readers of the screen only. */
export const Search = ({ label, onText, placeholder = label, ...rest }: SearchProps) => (
  <input
    {...rest}
    class={`input ${rest.class ?? ''}`}
    type="search"
    aria-label={label}
    placeholder={placeholder}
    onInput={(event) => onText(event.currentTarget.value)}
  />
);

interface AreaProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly rows?: number;
  readonly readOnly?: boolean;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  /** Uses the font for code. */
  readonly mono?: boolean;
  readonly class?: string;
}

/** Lines of text with their label. */
export function TextArea({ label, hint, error, onText, mono, class: name, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          {...rest}
          class={`input ${mono ? 'mono' : ''} ${name ?? ''}`}
          spellcheck={!mono}
          aria-invalid={error !== undefined}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
  /** The label is for readers of the screen only. */
  readonly bare?: boolean;
  readonly disabled?: boolean;
  readonly hint?: ComponentChildren;
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { label, value, options, onChange, bare, hint, disabled } = props;
  const control = (ids: object) => (
    <select
      class="input"
      {...ids}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value as T)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
  if (bare) return control({ 'aria-label': label, title: label });
  return (
    <Field label={label} hint={hint}>
      {control}
    </Field>
  );
}

interface CheckProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

export function Checkbox({ label, checked, onChange, disabled }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
