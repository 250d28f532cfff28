import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../strings/index.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { TextField } from './field.tsx';
import { Form } from './form.tsx';
import { useWork } from './use-work.ts';

interface FormProps {
  readonly title: string;
  readonly action: string;
  readonly onClose: () => void;
  /** Its failure is shown, and the dialog stays. */
  readonly onSubmit: () => Promise<unknown>;
  /**
   * Text for a field on a failure, which then stands there instead of at the end of the form; undefined: it belongs to no
   * field.
   */
  readonly atField?: (error: unknown) => string | undefined;
  /** A function gets what `atField` says. */
  readonly children: ComponentChildren | ((mistake: string | undefined) => ComponentChildren);
  readonly disabled?: boolean;
  /** Says, beside the button, why it cannot be pressed. */
  readonly why?: string | undefined;
  readonly wide?: boolean;
}

/** A form in a dialog: Enter sends it. */
export function FormDialog(props: FormProps) {
  const {
    title,
    action,
    onClose,
    onSubmit,
    atField,
    children,
    disabled,
    why,
    wide = false,
  } = props;
  const { run, error, isBusy } = useWork(onSubmit, onClose);
  const mistake = atField?.(error);
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <Form onSubmit={() => !disabled && !isBusy && run()}>
        {typeof children === 'function' ? children(mistake) : children}
        {error !== undefined && mistake === undefined && <ErrorNote error={error} />}
        <footer class="row">
          <span class="grow muted small">{disabled && why}</span>
          <Button onClick={onClose}>{t.parts.cancel}</Button>
          <Button kind="primary" type="submit" busy={isBusy} disabled={disabled === true}>
            {action}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

export interface AskProps {
  readonly title: string;
  readonly label: string;
  readonly action: string;
  readonly hint?: ComponentChildren;
  readonly initial?: string;
  /** Returns what is wrong with it, in words; undefined: nothing. Called once something is typed. */
  readonly check?: (text: string) => string | undefined;
  readonly onClose: () => void;
  readonly onDone: (text: string) => Promise<unknown>;
}

/** Asks for one name. */
export function Ask({ title, label, action, hint, initial = '', check, ...rest }: AskProps) {
  const [text, setText] = useState(initial);
  const wrong = text === '' ? undefined : check?.(text);
  return (
    <FormDialog
      title={title}
      action={action}
      onClose={rest.onClose}
      disabled={text.trim() === '' || wrong !== undefined}
      onSubmit={() => rest.onDone(text)}
    >
      <TextField
        label={label}
        value={text}
        onText={setText}
        hint={hint}
        error={wrong}
        mono
        autofocus
        autocomplete="off"
        spellcheck={false}
      />
    </FormDialog>
  );
}
