import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly popup: 'dialog' | 'menu';
  /** Content of the button. */
  readonly button: ComponentChildren;
  /** Makes the box. `close` gives the focus back to the button, `leave` lets it go. */
  readonly children: (close: () => void, leave: () => void) => ComponentChildren;
  readonly align?: 'start' | 'end' | undefined;
  readonly isBare?: boolean;
  readonly class?: string | undefined;
}

/** A button that opens a box below it; Escape and a press elsewhere close it. */
export function Dropdown(props: Props) {
  const { label, popup, button, children, align = 'end', isBare, class: name = '' } = props;
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
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
    if (event.key !== 'Escape' || !isOpen) return;
    event.stopPropagation();
    close();
  };
  return (
    <div class={`menu ${align} ${name}`} ref={box} onKeyDown={onKey}>
      <button
        type="button"
        ref={trigger}
        class={`button quiet ${isBare ? 'bare' : ''}`}
        aria-haspopup={popup}
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && children(close, () => setOpen(false))}
    </div>
  );
}
