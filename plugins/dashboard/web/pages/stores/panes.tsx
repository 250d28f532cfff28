import type { IconNode } from 'lucide';
import { ArrowLeft } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Link } from '../../frame/index.ts';
import { Icon, Search, useWindow } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

interface PanesProps {
  /** Pane that the reader is in: a phone shows it alone; `rest`: the second and the third. */
  readonly depth: 1 | 2 | 3 | 'rest';
  /** `list`: the second pane is a list as narrow as the first. */
  readonly second: 'list' | 'wide';
  readonly children: ComponentChildren;
}

/** Panes next to each other; one at a time on a phone. */
export const Panes = ({ depth, second, children }: PanesProps) => (
  <div class={`stores-panes depth-${depth} ${second}`}>{children}</div>
);

interface PaneProps {
  readonly title: string;
  readonly at: 1 | 2 | 3;
  /** Address that a phone goes back to. */
  readonly back?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Pane({ title, at, back, actions, children }: PaneProps) {
  return (
    <section class={`card flush stores-pane at-${at}`} aria-label={title}>
      <header class="card-head">
        {back !== undefined && (
          <Link to={back} class="stores-back" label={t.stores.back}>
            <Icon of={ArrowLeft} />
          </Link>
        )}
        <h2 class="ellipsis grow" title={title}>
          {title}
        </h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

export interface Pick {
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly icon?: IconNode;
  readonly to: string;
}

interface PickListProps {
  readonly label: string;
  readonly picks: readonly Pick[];
  readonly current: string | null;
  /** Instead of lines, where there is nothing to pick. */
  readonly empty: ComponentChildren;
}

/** Length from which a list is worth a filter. */
const FILTER_FROM = 8;
/** px, in `stores.css` too. */
const LINE = 36;

/** Lines to choose one from; only those in the window exist. */
export function PickList({ label, picks, current, empty }: PickListProps) {
  const [filter, setFilter] = useState('');
  const body = useRef<HTMLUListElement>(null);
  const wanted = filter.toLowerCase();
  const shown =
    wanted === ''
      ? picks
      : picks.filter(
          ({ label: text, note = '' }) =>
            text.toLowerCase().includes(wanted) || note.toLowerCase().includes(wanted),
        );
  const [from, to] = useWindow(body, shown.length, LINE);
  if (picks.length === 0) return <>{empty}</>;
  return (
    <>
      {picks.length >= FILTER_FROM && (
        <div class="stores-filter">
          <Search
            placeholder={t.stores.filter}
            label={`${t.stores.filter}: ${label}`}
            value={filter}
            onText={setFilter}
          />
        </div>
      )}
      <div class="stores-scroll">
        {shown.length === 0 && <p class="muted stores-none">{t.stores.noMatch}</p>}
        <ul
          ref={body}
          class="stores-picks"
          aria-label={label}
          style={{ height: `${shown.length * LINE}px` }}
        >
          {shown.slice(from, to).map((pick, at) => (
            <li key={pick.id} style={{ top: `${(from + at) * LINE}px` }}>
              <Link to={pick.to} current={pick.id === current} title={pick.label}>
                {pick.icon && <Icon of={pick.icon} />}
                <span class="ellipsis grow">{pick.label}</span>
                {pick.note !== undefined && <span class="muted small ellipsis">{pick.note}</span>}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
