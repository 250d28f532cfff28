import { Button, errorText, Field } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Check } from './check.ts';

type Fault = Check['errors'][number];

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly check: { readonly data?: Check; readonly error?: unknown };
  readonly onText: (text: string) => void;
}

/** A condition as text; the place of its fault is underlined, and the name that was meant is a button. */
export function CodeField({ label, hint, value, check, onText }: Props) {
  const fault = check.data?.errors[0];
  const failure = check.error === undefined ? undefined : errorText(check.error);
  const mistake = fault?.message ?? failure;
  return (
    <Field label={label} hint={hint} error={mistake}>
      {(ids) => (
        <>
          <div class="alerts-code">
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
          {fault?.nearest !== undefined && (
            <Nearest fault={fault} name={fault.nearest} {...{ value, onText }} />
          )}
        </>
      )}
    </Field>
  );
}

interface NearestProps extends Pick<Props, 'value' | 'onText'> {
  readonly fault: Fault;
  readonly name: string;
}

const Nearest = ({ fault, name, value, onText }: NearestProps) => (
  <div>
    <Button onClick={() => onText(value.slice(0, fault.from) + name + value.slice(fault.to))}>
      {t.alerts.useName(name)}
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
