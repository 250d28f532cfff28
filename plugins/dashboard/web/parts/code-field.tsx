import { Button } from './button.tsx';
import { errorText } from './error-note.tsx';
import { Field } from './field.tsx';
import './code-field.css';

/** Fault of a condition: from the first character to before the last. */
export interface Fault {
  readonly message: string;
  readonly from: number;
  readonly to: number;
  readonly nearest?: string | undefined;
}

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly check: {
    readonly data?: { readonly errors: readonly Fault[] };
    readonly error?: unknown;
  };
  /** Words of the button that puts in the name that was meant. */
  readonly nearestLabel?: (name: string) => string;
  readonly onText: (text: string) => void;
}

/** A condition as text; the place of its fault is underlined, and the name that was meant is a button. */
export function CodeField({ label, hint, value, check, nearestLabel, onText }: Props) {
  const fault = check.data?.errors[0];
  const failure = check.error === undefined ? undefined : errorText(check.error);
  const mistake = fault?.message ?? failure;
  return (
    <Field label={label} hint={hint} error={mistake}>
      {(ids) => (
        <>
          <div class="code-field">
            <pre aria-hidden="true">{fault ? <Marked text={value} fault={fault} /> : value} </pre>
            <textarea
              {...ids}
              class="input mono"
              rows={1}
              spellcheck={false}
              autocomplete="off"
              value={value}
              aria-invalid={mistake !== undefined}
              onInput={({ currentTarget }) => onText(currentTarget.value)}
            />
          </div>
          {fault?.nearest !== undefined && nearestLabel && (
            <Nearest
              {...{ fault, value, onText }}
              name={fault.nearest}
              label={nearestLabel(fault.nearest)}
            />
          )}
        </>
      )}
    </Field>
  );
}

interface NearestProps extends Pick<Props, 'value' | 'onText'> {
  readonly fault: Fault;
  readonly name: string;
  readonly label: string;
}

const Nearest = ({ fault, name, label, value, onText }: NearestProps) => (
  <div>
    <Button onClick={() => onText(value.slice(0, fault.from) + name + value.slice(fault.to))}>
      {label}
    </Button>
  </div>
);

const Marked = ({
  text,
  fault: { from, to },
}: {
  readonly text: string;
  readonly fault: Fault;
}) => (
  <>
    {text.slice(0, from)}
    <mark>{text.slice(from, Math.max(to, from + 1)) || ' '}</mark>
    {text.slice(Math.max(to, from + 1))}
  </>
);
