import type { ComponentChildren } from 'preact';
import { Dropdown } from './dropdown.tsx';

interface Props {
  readonly label: string;
  /** Content of the button. */
  readonly button: ComponentChildren;
  /** Gets what closes it. */
  readonly children: (close: () => void) => ComponentChildren;
  readonly class?: string;
}

/** A button that opens a box with anything in it. */
export const Popover = ({ label, button, children, class: name }: Props) => (
  <Dropdown label={label} popup="dialog" button={button} class={name}>
    {(_close, leave) => (
      <div class="menu-list popover" role="dialog" aria-label={label}>
        {children(leave)}
      </div>
    )}
  </Dropdown>
);
