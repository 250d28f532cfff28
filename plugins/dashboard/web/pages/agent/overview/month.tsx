import { Bar, format } from '../../../parts/index.ts';
import { networkAmount } from '../../../parts/network-unit.ts';
import { t } from '../../../strings/index.ts';
import { useMonthTraffic } from './model.ts';

/** Traffic of the machine in this month, and its quota where one is configured. Nothing where it is not counted. */
export function MonthTraffic({ uuid }: { readonly uuid: string }) {
  const data = useMonthTraffic(uuid);
  if (!data) return null;
  const { begin, received, transmitted, quota } = data;
  const used = received + transmitted;
  const exact = `↓ ${format.exact(received, 'B')} · ↑ ${format.exact(transmitted, 'B')}`;
  return (
    <>
      {quota !== undefined && <Bar value={used / quota} label={t.agent.month} warn={0.8} bad={1} />}
      <span class="muted small" title={`${exact} · ${t.agent.monthSince(format.dateTime(begin))}`}>
        {t.agent.inMonth(
          format.text(networkAmount(used)),
          quota === undefined ? undefined : format.text(networkAmount(quota)),
        )}
      </span>
    </>
  );
}
