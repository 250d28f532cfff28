import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Loaded } from '../../../frame/index.ts';
import { Skeleton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useReports } from '../reports.ts';
import { Shortened } from '../shortened.tsx';
import { SpecChart } from './chart.tsx';
import {
  type Field,
  type Grid,
  keyOf,
  namesOf,
  type Sample,
  useGrid,
  withNames,
} from './series.ts';
import { coreSpecs, diskSpecs, fieldsOf, gpuSpecs, interfaceSpecs, type Spec } from './specs.ts';
import { ChartSkeletons } from './summaries.tsx';
import type { View } from './view.ts';

interface FullProps {
  readonly uuid: string;
  readonly view: View;
  /** Tells whether the token may read this part of full reports. */
  readonly reads: (field: string) => boolean;
}

/** Charts of full reports: cores, disks, interfaces, graphics cards. Each is asked when it comes into the window. */
export function Full({ uuid, view, reads }: FullProps) {
  const { samples } = useReports(uuid, 'dynamic');
  const parts = [
    ['cores', coreSpecs, reads('cpu')],
    ['disks', diskSpecs, reads('disk')],
    ['interfaces', interfaceSpecs, reads('network')],
    ['gpus', gpuSpecs, reads('gpu')],
  ] as const;
  return (
    <>
      {parts.map(
        ([id, specs, isAllowed]) =>
          isAllowed && (
            <WhenSeen key={`${id} ${uuid}`} title={t.agent.parts[id]}>
              <Part
                uuid={uuid}
                view={view}
                specs={specs}
                samples={samples.value}
                isOne={id === 'cores'}
              />
            </WhenSeen>
          ),
      )}
    </>
  );
}

interface SeenProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part that costs a call is made when the reader comes near it. */
function WhenSeen({ title, children }: SeenProps) {
  const [isSeen, setSeen] = useState(false);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || isSeen) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: '200px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return (
    <section ref={box} class="stack agent-part" aria-label={title}>
      <h2>{title}</h2>
      {isSeen ? children : <Skeleton rows={4} />}
    </section>
  );
}

interface PartProps {
  readonly uuid: string;
  readonly view: View;
  readonly specs: readonly Spec[];
  readonly samples: readonly Sample[];
  /** All names share one chart. */
  readonly isOne?: boolean;
}

function Part({ uuid, view, specs, samples, isOne }: PartProps) {
  const fields = useMemo(() => fieldsOf(specs), [specs]);
  const grid = useGrid(uuid, fields, view.span);
  return (
    <Loaded of={grid} what={t.agent.unreadable} skeleton={<ChartSkeletons count={2} />}>
      {(found) => (
        <Named
          grid={withNames(found, samples.at(-1)?.values)}
          view={view}
          specs={specs}
          samples={samples}
          {...(isOne && { isOne })}
        />
      )}
    </Loaded>
  );
}

interface NamedProps {
  readonly grid: Grid;
  readonly view: View;
  readonly specs: readonly Spec[];
  readonly samples: readonly Sample[];
  readonly isOne?: boolean;
}

const AT_FIRST = 6;

function Named({ grid, view, specs, samples, isOne }: NamedProps) {
  const field = specs[0]?.lines[0]?.field as Field;
  const names = namesOf(grid, field);
  const isGpu = specs === gpuSpecs;
  if (names.length === 0) return <p class="muted">{isGpu ? t.agent.noGpu : t.agent.noFull}</p>;
  const common = { grid, samples, ...view };
  if (isOne)
    return (
      <div class="agent-charts">
        {specs.map((spec) => (
          <SpecChart key={spec.id} {...common} spec={spec} each={names} />
        ))}
      </div>
    );
  return (
    <Shortened list={names} first={AT_FIRST}>
      {(shown) =>
        shown.map((name) => (
          <div key={name} class="stack">
            <h3 class="agent-device ellipsis" title={name}>
              {isGpu ? `${t.agent.facts.gpu} ${name}` : name}
            </h3>
            <div class="agent-charts">
              {specs.map((spec) => (
                <SpecChart key={keyOf(spec.id, name)} {...common} spec={spec} of={name} />
              ))}
            </div>
          </div>
        ))
      }
    </Shortened>
  );
}
