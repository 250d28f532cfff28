import { ShieldCheck } from 'lucide';
import {
  type Machine,
  useMachines,
  useOpenAlerts,
  usePoll,
  useServer,
} from '../../../frame/index.ts';
import { SEVERITIES, SeverityIcon } from '../../../parts/alert/index.ts';
import { Empty, ErrorNote, format, Skeleton, useNow } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { WithSilences } from '../silences/hidden.tsx';
import { groupsOf } from './model.ts';
import { AlertRow } from './row.tsx';

/** Everything that is open, the worst first. */
export function NowTab() {
  const { list, counts, told, error } = useOpenAlerts();
  useNow(10_000);
  if (list === undefined)
    return error === undefined ? (
      <Skeleton rows={6} height={44} />
    ) : (
      <ErrorNote what={t.alerts.unreadable} error={error} />
    );
  if (list.length === 0) return <AllWell />;
  return (
    <div class="stack">
      <p class="alerts-counts">
        {SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => (
          <span key={severity} class="row">
            <SeverityIcon of={severity} />
            {t.alert.counted(counts[severity], severity)}
          </span>
        ))}
        <span class="muted">
          {told.unacked === 0 ? t.alerts.allTaken : t.alert.unacked(told.unacked)}
        </span>
      </p>
      <WithSilences>
        <ul class="alerts-list card flush">
          {groupsOf(list).map((group) => (
            <AlertRow key={group.alert.id} {...group} />
          ))}
        </ul>
      </WithSilences>
    </div>
  );
}

/** Time after which a machine that reports nothing is called away, ms: as the shipped rule has it. */
const AWAY_MS = 120_000;

const isAway = ({ last_seen }: Machine): boolean =>
  last_seen !== null && Date.now() - last_seen > AWAY_MS;

/** "All 40 machines are well. Last alert: 3 days ago." */
function AllWell() {
  const { call } = useServer();
  const { list } = useMachines();
  const last = usePoll('last alert', () => call('alert_list', { limit: 1 }));
  const at = last.data?.last_closed_at;
  const count = list?.length ?? 0;
  const away = list?.filter(isAway).length ?? 0;
  const title = away === 0 ? t.alerts.well(count) : t.alerts.someAway(away, count);
  return (
    <Empty icon={ShieldCheck} title={title}>
      {last.data && (
        <p>{at == null ? t.alerts.never : t.alerts.lastAlert(format.roughly(Date.now() - at))}</p>
      )}
    </Empty>
  );
}
