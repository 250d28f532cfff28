import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../strings/index.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';
import { useWork } from './use-work.ts';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at its foot. */
  readonly actions?: ComponentChildren;
  readonly wide?: boolean;
  /** Nearly the whole window. */
  readonly large?: boolean;
}

/** The browser's own dialog: it keeps the focus, closes with Escape and gives the focus back. */
export function Dialog({ title, onClose, children, actions, wide, large }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => ref.current?.showModal(), []);
  return (
    <dialog
      ref={ref}
      class={`dialog ${large ? 'large' : wide ? 'wide' : ''}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === ref.current && onClose()}
    >
      <div class="dialog-box">
        <header class="row">
          <h2 class="grow">{title}</h2>
          <Button kind="quiet" icon={X} label={t.parts.close} onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {actions && <footer class="row">{actions}</footer>}
      </div>
    </dialog>
  );
}

export interface ConfirmProps {
  readonly title: string;
  /** Text on what will be lost. */
  readonly children: ComponentChildren;
  /** The verb: "Delete 3 jobs", not "OK". */
  readonly action: string;
  readonly onClose: () => void;
  /** Its failure is shown, and the dialog stays. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before something is lost. */
export function Confirm({ title, children, action, onClose, onConfirm }: ConfirmProps) {
  const { run, error, isBusy } = useWork(onConfirm, onClose);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <span class="grow" />
          <Button onClick={onClose}>{t.parts.cancel}</Button>
          <Button kind="danger" busy={isBusy} onClick={() => void run()}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  );
}
