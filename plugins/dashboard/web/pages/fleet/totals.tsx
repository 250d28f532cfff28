import { useRef } from 'preact/hooks';
import { Link, type Server, to } from '../../frame/index.ts';
import { Amount, format, Sparkline } from '../../parts/index.ts';
import { networkAmount, networkRate } from '../../parts/network-unit.ts';
import { t } from '../../strings/index.ts';
import type { Totals as Figures } from './model.ts';
import { STEP_MS, STEPS, usePast } from './past.ts';
import type { Traffic } from './traffic.ts';

/** One strip of figures of the whole fleet. */
export function Totals({
  figures,
  traffic,
  server,
  agents,
}: {
  readonly figures: Figures;
  readonly agents: readonly string[];
  readonly traffic: Traffic | undefined;
  readonly server: Server;
}) {
  const { all, online, cpu, worst, usedMemory, totalMemory, received, sent } = figures;
  const past = usePast(server, agents);
  const cpuCurve = useCurve(cpu, past?.cpu);
  const memoryCurve = useCurve(totalMemory > 0 ? usedMemory : undefined, past?.memory);
  const networkCurve = useCurve(online > 0 ? received + sent : undefined, past?.network);
  return (
    <section class="fleet-totals card" aria-label={t.fleet.totals} title={server.name}>
      <div class="fleet-total">
        <h2>{t.fleet.machines}</h2>
        <p class="fleet-figure">
          {format.number(online)}
          <span class="unit"> / {format.number(all)}</span>
        </p>
        <p class="muted small">{online === all ? t.fleet.allOnline : t.fleet.away(all - online)}</p>
      </div>
      <div class="fleet-total">
        <h2>{t.fleet.cpu}</h2>
        <p class="fleet-figure">
          <Amount of={cpu === undefined ? undefined : format.percent(cpu)} />
        </p>
        <p class="muted small ellipsis">
          {worst && (
            <>
              {t.fleet.worst} <Link to={to('agent', worst.uuid)}>{worst.name}</Link>{' '}
              {format.text(format.percent(worst.row?.cpu_usage ?? 0))}
            </>
          )}
        </p>
        <Sparkline values={cpuCurve} height={28} label={t.fleet.cpuCurve} />
      </div>
      <div class="fleet-total">
        <h2>{t.fleet.memory}</h2>
        <p class="fleet-figure">
          <Amount
            of={totalMemory > 0 ? format.bytes(usedMemory) : undefined}
            title={format.exact(usedMemory, 'B')}
          />
        </p>
        <p class="muted small">
          {totalMemory > 0 && t.fleet.of(format.text(format.bytes(totalMemory)))}
        </p>
        <Sparkline
          values={memoryCurve}
          height={28}
          max={totalMemory}
          color="--series-3"
          label={t.fleet.memoryCurve}
        />
      </div>
      <div class="fleet-total">
        <h2>{t.fleet.network}</h2>
        <p class="fleet-figure fleet-pair">
          <span title={format.exact(received, 'B/s')}>
            ↓ <Amount of={networkRate(received)} />
          </span>
        </p>
        <p class="muted small" title={format.exact(sent, 'B/s')}>
          ↑ {format.text(networkRate(sent))}
        </p>
        <Sparkline values={networkCurve} color="--series-2" label={t.fleet.networkCurve} />
      </div>
      <div class="fleet-total">
        <h2 title={t.fleet.todayUtc}>{t.fleet.today}</h2>
        <p class="fleet-figure">
          ↓{' '}
          <Amount
            of={traffic && networkAmount(traffic.received)}
            {...(traffic && { title: format.exact(traffic.received, 'B') })}
          />
        </p>
        <p class="muted small">{traffic && `↑ ${format.text(networkAmount(traffic.sent))}`}</p>
      </div>
    </section>
  );
}

/** What this figure was in the last half hour: as the server has it, then as the page has seen it. */
function useCurve(
  value: number | undefined,
  past: readonly (number | null)[] | undefined,
): readonly (number | null)[] {
  const ref = useRef<{ readonly values: (number | null)[]; last: number }>({ values: [], last: 0 });
  const now = Math.floor(Date.now() / STEP_MS);
  const { current } = ref;
  if (current.last === 0) {
    current.last = now;
    current.values.push(...Array<null>(STEPS).fill(null));
  }
  for (; current.last < now; current.last++) current.values.push(null);
  current.values.splice(0, current.values.length - STEPS);
  if (value !== undefined) current.values[STEPS - 1] = value;
  for (const [at, old] of past?.entries() ?? []) current.values[at] ??= old;
  return current.values;
}
