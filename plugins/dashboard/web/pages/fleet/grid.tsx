import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Vital } from './model.ts';

const CARD = 164;
const GAP = 12;
const HEAD = 44;
const LEAST_WIDTH = 264;
/** px beyond the window that are drawn in advance. */
const AHEAD = 400;
const AHEAD_AFTER_MS = 200;

export interface Group {
  readonly id: string;
  /** Empty: no line above. */
  readonly title: string;
  readonly vitals: readonly Vital[];
}

interface Line {
  readonly key: string;
  readonly top: number;
  readonly group: Group;
  /** Undefined: the line above a group. */
  readonly vitals: readonly Vital[] | undefined;
}

function linesOf(
  groups: readonly Group[],
  columns: number,
): { readonly lines: Line[]; readonly height: number } {
  const lines: Line[] = [];
  let top = 0;
  for (const group of groups) {
    if (group.title !== '') {
      lines.push({ key: `head ${group.id}`, top, group, vitals: undefined });
      top += HEAD;
    }
    for (let at = 0; at < group.vitals.length; at += columns) {
      lines.push({
        key: `${group.id} ${at}`,
        top,
        group,
        vitals: group.vitals.slice(at, at + columns),
      });
      top += CARD + GAP;
    }
  }
  return { lines, height: Math.max(0, top - GAP) };
}

interface Props {
  readonly groups: readonly Group[];
  readonly card: (vital: Vital) => ComponentChildren;
}

/** Cards in rows; only those in the window exist. */
export function Grid({ groups, card }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { columns, from, to } = useView(box);
  const { lines, height } = linesOf(groups, columns);
  return (
    <div ref={box} class="fleet-grid" style={{ height: `${height}px` }}>
      {lines
        .filter(({ top }) => top + CARD > from && top < to)
        .map(({ key, top, group, vitals }) => (
          <div
            key={key}
            class={vitals ? 'fleet-line' : 'fleet-head'}
            style={{ top: `${top}px`, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
          >
            {vitals ? (
              vitals.map((vital) => card(vital))
            ) : (
              <h2>
                {group.title} <span class="muted">{group.vitals.length}</span>
              </h2>
            )}
          </div>
        ))}
    </div>
  );
}

interface ViewOfBox {
  readonly columns: number;
  /** px from the top of the box. */
  readonly from: number;
  readonly to: number;
}

function useView(ref: { readonly current: HTMLElement | null }): ViewOfBox {
  const [view, setView] = useState<ViewOfBox>({ columns: 1, from: 0, to: 0 });
  useLayoutEffect(() => {
    let frame = 0;
    // The first picture shows the window alone; what is ahead follows it.
    let ahead = 0;
    const measure = () => {
      frame = 0;
      const box = ref.current?.getBoundingClientRect();
      if (!box) return;
      const columns = Math.max(1, Math.min(6, Math.floor((box.width + GAP) / (LEAST_WIDTH + GAP))));
      // In steps, so that a scroll by a pixel draws nothing.
      const from = Math.floor(-box.top / 200) * 200 - ahead;
      const to = from + innerHeight + 2 * ahead + 200;
      setView((old) =>
        old.columns === columns && old.from === from && old.to === to ? old : { columns, from, to },
      );
    };
    const soon = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    const later = setTimeout(() => {
      ahead = AHEAD;
      soon();
    }, AHEAD_AFTER_MS);
    const watch = new ResizeObserver(soon);
    if (ref.current) watch.observe(ref.current);
    addEventListener('scroll', soon, { capture: true, passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(later);
      watch.disconnect();
      removeEventListener('scroll', soon, { capture: true });
      removeEventListener('resize', soon);
    };
  }, []);
  return view;
}
