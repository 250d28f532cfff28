import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconNode;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly checked?: boolean;
  /** A line above it. */
  readonly separated?: boolean;
}
interface Props {
  readonly label: string;
  readonly icon?: IconNode;
  /** Content in place of the icon alone. */
  readonly children?: ComponentChildren;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
  readonly class?: string;
}

/** A button that opens a list of actions: arrows move, Escape closes, letters jump. */
export function Menu({ label, icon, children, items, align = 'end', class: name }: Props) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', outside);
    return () => removeEventListener('pointerdown', outside);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    trigger.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      return close();
    }
    if (event.key === 'Tab') return setOpen(false);
    const all = [...(box.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    const letter = all.find((one) =>
      one.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()),
    );
    const next =
      step === undefined
        ? event.key.length === 1
          ? letter
          : undefined
        : all.at(step % all.length);
    if (!next || event.key === ' ') return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div class={`menu ${align} ${name ?? ''}`} ref={box} onKeyDown={onKey}>
      <button
        type="button"
        ref={trigger}
        class={`button ${children === undefined ? 'quiet bare' : 'quiet'}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {icon && <Icon of={icon} />}
        {children}
      </button>
      {isOpen && <MenuList label={label} items={items} onClose={close} />}
    </div>
  );
}

interface ListProps extends Pick<Props, 'label' | 'items'> {
  readonly onClose: () => void;
}

function MenuList({ label, items, onClose }: ListProps) {
  return (
    <div role="menu" class="menu-list" aria-label={label}>
      {items.map(({ label: text, icon, onSelect, danger, checked, separated }) => (
        <button
          type="button"
          key={text}
          role={checked === undefined ? 'menuitem' : 'menuitemradio'}
          {...(checked !== undefined && { 'aria-checked': checked })}
          tabIndex={-1}
          class={`${danger ? 'danger' : ''} ${separated ? 'separated' : ''}`}
          onClick={() => {
            onClose();
            onSelect();
          }}
        >
          {icon && <Icon of={icon} />}
          <span>{text}</span>
        </button>
      ))}
    </div>
  );
}
