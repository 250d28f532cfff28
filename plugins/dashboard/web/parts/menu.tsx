import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Dropdown } from './dropdown.tsx';
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
export function Menu({ label, icon, children, items, align, class: name }: Props) {
  const button = (
    <>
      {icon && <Icon of={icon} />}
      {children}
    </>
  );
  const isBare = children === undefined;
  return (
    <Dropdown label={label} popup="menu" button={button} {...{ align, isBare, class: name }}>
      {(onClose, onLeave) => <MenuList {...{ label, items, onClose, onLeave }} />}
    </Dropdown>
  );
}

interface ListProps extends Pick<Props, 'label' | 'items'> {
  readonly onClose: () => void;
  readonly onLeave: () => void;
}

function MenuList({ label, items, onClose, onLeave }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  const actions = () => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? []),
  ];
  useEffect(() => actions()[0]?.focus(), []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Tab') return onLeave();
    const next = nextOf(actions(), event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div role="menu" class="menu-list" aria-label={label} ref={list} onKeyDown={onKey}>
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

/** Action to which a key leads; undefined: to none. */
function nextOf(all: readonly HTMLElement[], key: string): HTMLElement | undefined {
  const at = all.indexOf(document.activeElement as HTMLElement);
  const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[key];
  if (step !== undefined) return all.at(step % all.length);
  if (key.length > 1 || key === ' ') return undefined;
  return all.find((one) => one.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
}
