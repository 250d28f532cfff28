import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Tab {
  readonly id: string;
  readonly label: ComponentChildren;
}
interface Props {
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly onChange: (id: string) => void;
  /** Says what the tabs are of. */
  readonly label: string;
  readonly children?: ComponentChildren;
}

/** Tabs with the keys that people expect: arrows, Home, End. `children` is the panel of the current one. */
export function Tabs({ tabs, current, onChange, label, children }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  // On a phone the bar is wider than the window.
  useLayoutEffect(() => {
    const tab = bar.current?.querySelector('[aria-selected="true"]');
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, tabs.length]);
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.id);
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  return (
    <>
      <div ref={bar} class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, label: text }) => (
          <button
            type="button"
            role="tab"
            key={id}
            id={`tab-${id}`}
            aria-selected={id === current}
            {...(children !== undefined && id === current && { 'aria-controls': `panel-${id}` })}
            tabIndex={id === current ? 0 : -1}
            onClick={() => onChange(id)}
          >
            {text}
          </button>
        ))}
      </div>
      {children !== undefined && (
        <div role="tabpanel" id={`panel-${current}`} aria-labelledby={`tab-${current}`}>
          {children}
        </div>
      )}
    </>
  );
}
