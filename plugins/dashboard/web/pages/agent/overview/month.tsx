import { usePoll, useServer } from '../../../frame/index.ts';
import { Bar, format } from '../../../parts/index.ts';
import { networkAmount } from '../../../parts/network-unit.ts';
import { t } from '../../../strings/index.ts';

const EVERY_MS = 300_000;

/** What the machine has moved in this month, beside its quota where one is configured. Nothing where it is not counted. */
export function MonthTraffic({ uuid }: { readonly uuid: string }) {
  const { call, covers, has } = useServer();
  const isAsked = has('series') && covers('dynamic_monitoring_summary', 'read', uuid);
  const { data } = usePoll(
    isAsked ? `month ${uuid}` : 'none',
    async (signal) => {
      if (!isAsked) return undefined;
      const now = Date.now();
      const asked = { uuids: [uuid], from: now, to: now + 1, by: 'month' as const };
      return (await call('agent_query_traffic', asked, { signal })).at(-1);
    },
    { every_ms: EVERY_MS },
  );
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
