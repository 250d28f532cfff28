import { Plus, X } from 'lucide';
import { useId, useState } from 'preact/hooks';
import { Button, Field, Icon, Offered } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
  /** Names that the browser offers. */
  readonly offered?: readonly string[];
  readonly textOf?: (name: string) => string;
  /** Mistake in a name, in words. */
  readonly check?: (name: string) => string | undefined;
}

/** Names that are written or chosen, each with a button that takes it out. Enter adds. */
export function Names({ names, onChange, textOf = (name) => name, ...field }: Props) {
  return (
    <div class="tokens-names">
      <NameField {...{ names, onChange }} {...field} />
      {names.length > 0 && (
        <div class="row wrap">
          {names.map((one) => (
            <button
              type="button"
              class="tag"
              key={one}
              aria-label={t.tokens.takeOut(textOf(one))}
              title={one}
              onClick={() => onChange(names.filter((other) => other !== one))}
            >
              {textOf(one)}
              <Icon of={X} size={12} />
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function NameField({ label, hint, names, onChange, offered = [], check }: Props) {
  const [text, setText] = useState('');
  const list = useId();
  const name = text.trim();
  const wrong = name === '' ? undefined : check?.(name);
  const add = () => {
    if (name === '' || wrong !== undefined) return;
    if (!names.includes(name)) onChange([...names, name]);
    setText('');
  };
  return (
    <Field label={label} hint={hint} error={wrong}>
      {(ids) => (
        <div class="row">
          <input
            {...ids}
            class="input mono"
            list={list}
            value={text}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={wrong !== undefined}
            onInput={({ currentTarget: { value } }) => setText(value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
          />
          <Offered id={list} texts={offered.filter((one) => !names.includes(one))} />
          <Button
            icon={Plus}
            label={t.tokens.addName(label)}
            disabled={name === ''}
            onClick={add}
          />
        </div>
      )}
    </Field>
  );
}
