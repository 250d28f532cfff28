import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Ask, type AskProps } from './ask.tsx';
import { Button, type ButtonProps } from './button.tsx';
import { Confirm, type ConfirmProps } from './dialog.tsx';

interface DialogButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** Gets what closes it. */
  readonly dialog: (close: () => void) => ComponentChildren;
}

/** Button that opens a dialog. */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" {...button} onClick={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}

interface AskButtonProps extends Omit<AskProps, 'onClose'> {
  readonly icon: IconNode;
}

/** Button that asks for one name. */
export const AskButton = ({ icon, ...ask }: AskButtonProps) => (
  <DialogButton
    icon={icon}
    label={ask.title}
    dialog={(close) => <Ask {...ask} onClose={close} />}
  />
);

interface ConfirmButtonProps extends Omit<ConfirmProps, 'onClose'> {
  readonly icon: IconNode;
  readonly label: string;
}

/** Button that asks before something is lost. */
export const ConfirmButton = ({ icon, label, ...confirm }: ConfirmButtonProps) => (
  <DialogButton
    icon={icon}
    label={label}
    dialog={(close) => <Confirm {...confirm} onClose={close} />}
  />
);
