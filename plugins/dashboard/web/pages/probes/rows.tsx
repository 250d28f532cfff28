import { useMachines } from '../../frame/index.ts';
import { Amount, Bar, format } from '../../parts/index.ts';
import { type Answer, lossFigure, type Probe, type Reading } from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { openMachine } from './model.ts';

interface Props {
  readonly probe: Probe;
  readonly answer: Answer;
  readonly readings: readonly Reading[];
  /** UUID of the machine whose curve is open. */
  readonly chosen: string | undefined;
}

/** Machines with their figures. */
export function Rows({ probe, answer, readings, chosen }: Props) {
  // One unit for all groups.
  const figure = format.millisecondsOf(
    answer.readings.flatMap(({ of, usual }) => [of?.p50, of?.p95, usual]),
  );
  const most = answer.slowest?.of?.p50 ?? 0;
  const cell = (ms: number | null | undefined) => (
    <Amount of={ms == null ? undefined : figure(ms)} />
  );
  return (
    <table class="probes-table">
      <Head />
      <tbody>
        {readings.map(({ uuid, of, usual, mood }) => (
          <tr key={uuid} class={uuid === chosen ? 'open' : ''}>
            <th scope="row">
              <Name
                uuid={uuid}
                isChosen={uuid === chosen}
                part={of?.p50 == null ? undefined : of.p50 / most}
                onOpen={() => openMachine(probe, uuid)}
              />
            </th>
            <td class={mood === 'slow' ? 'num probes-slow' : 'num'}>{cell(of?.p50)}</td>
            <td class="num probes-wide">{cell(usual)}</td>
            <td class="num probes-wide">{cell(of?.p95)}</td>
            <td class={mood === 'lossy' || mood === 'silent' ? 'num probes-slow' : 'num'}>
              <Amount of={of && lossFigure(of.loss ?? 0)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Head = () => (
  <thead>
    <tr>
      <th scope="col">{t.probes.machine}</th>
      <th scope="col" class="num">
        {t.probes.median}
      </th>
      <th scope="col" class="num probes-wide" title={t.probes.usualHint}>
        {t.probes.usual}
      </th>
      <th scope="col" class="num probes-wide">
        p95
      </th>
      <th scope="col" class="num">
        {t.probes.loss}
      </th>
    </tr>
  </thead>
);

interface NameProps {
  readonly uuid: string;
  readonly isChosen: boolean;
  /** Part of the slowest machine's median, from 0 to 1; undefined: it has none. */
  readonly part: number | undefined;
  readonly onOpen: () => void;
}

function Name({ uuid, isChosen, part, onOpen }: NameProps) {
  const name = useMachines().nameOf(uuid);
  return (
    <>
      <button
        type="button"
        class="probes-machine ellipsis"
        title={t.probes.openMachine(name)}
        aria-pressed={isChosen}
        onClick={onOpen}
      >
        {name}
      </button>
      {part !== undefined && <Bar value={part} warn={2} bad={2} label={name} />}
    </>
  );
}
