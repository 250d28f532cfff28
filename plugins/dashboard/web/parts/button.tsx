import type { IconNode } from 'lucide';
import { LoaderCircle } from 'lucide';
import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { Icon } from './icon.tsx';

export interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconNode;
  /** Required where there are no words; it is also the hint on hover. */
  readonly label?: string;
  /** `primary`: the one thing that this view is for. `danger`: something is lost. `quiet`: no border. */
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** Shows that it works, and takes no second press. */
  readonly busy?: boolean;
  readonly pressed?: boolean;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly class?: string;
}

export function Button(props: ButtonProps) {
  const { children, icon, label, kind = 'plain', type = 'button', busy, disabled, pressed } = props;
  const isBare = children === undefined;
  return (
    <button
      type={type}
      class={`button ${kind} ${isBare ? 'bare' : ''} ${props.class ?? ''}`}
      disabled={disabled === true || busy === true}
      aria-busy={busy}
      {...(label !== undefined && { title: label, ...(isBare && { 'aria-label': label }) })}
      {...(pressed !== undefined && { 'aria-pressed': pressed })}
      onClick={props.onClick}
    >
      {busy ? <Icon of={LoaderCircle} class="spin" /> : icon && <Icon of={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
