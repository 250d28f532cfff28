import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  readonly label: string;
  /** Content of the button. */
  readonly button: ComponentChildren;
  /** Gets what closes it. */
  readonly children: (close: () => void) => ComponentChildren;
  readonly class?: string;
}

/** A button that opens a box below it; Escape and a press elsewhere close it. */
export function Popover({ label, button, children, class: name }: Props) {
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
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.stopPropagation();
    setOpen(false);
    trigger.current?.focus();
  };
  return (
    <div class={`menu end ${name ?? ''}`} ref={box} onKeyDown={onKey}>
      <button
        type="button"
        ref={trigger}
        class="button quiet"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div class="menu-list popover" role="dialog" aria-label={label}>
          {children(() => setOpen(false))}
        </div>
      )}
    </div>
  );
}
