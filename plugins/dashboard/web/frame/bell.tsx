import { Bell as BellIcon, BellOff } from 'lucide';
import {
  type Alert,
  inOrder,
  isBelow,
  isSilenced,
  mayWith,
  SEVERITIES,
  SeverityIcon,
  silenceHour,
  toldFirst,
} from '../parts/alert/index.ts';
import { Button, format, Icon } from '../parts/index.ts';
import { Popover } from '../parts/popover.tsx';
import { t } from '../strings/index.ts';
import { seesAlerts, useAlertFeed, useAlertWords, useOpenAlerts, useSubjects } from './alerts.ts';
import { Link, navigate, to } from './router.tsx';
import { useServer } from './server.ts';

/** Lines of the bell. */
const MOST = 5;

/** Bell of the frame: what is open, on every page; not there without the plugin or the right. */
export function Bell() {
  const server = useServer();
  useAlertFeed();
  const { list = [], counts, told } = useOpenAlerts();
  if (!seesAlerts(server)) return null;
  const open = counts.critical + counts.warning + counts.info;
  const loud = told.critical + told.warning + told.info;
  const worst = SEVERITIES.find((severity) => told[severity] > 0);
  const shown = toldFirst(list.filter((alert) => !isBelow(alert)));
  const label = open === 0 ? t.alert.bellNone : t.alert.bell(open);
  return (
    <Popover
      class="bell"
      label={label}
      button={
        <>
          <Icon of={BellIcon} />
          {worst && <span class={`alert-count ${worst}`}>{loud}</span>}
        </>
      }
    >
      {(close) => (
        <>
          <BellHead />
          <ul>
            {shown.slice(0, MOST).map((alert) => (
              <BellLine key={alert.id} alert={alert} onDone={close} />
            ))}
          </ul>
          <Button
            kind="quiet"
            class="bell-all"
            onClick={() => {
              close();
              navigate(to('alerts'));
            }}
          >
            {t.alert.all}
          </Button>
        </>
      )}
    </Popover>
  );
}

function BellHead() {
  const { counts } = useOpenAlerts();
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0);
  return (
    <p class="bell-head">
      {parts.length === 0
        ? t.alert.bellNone
        : parts.map((severity) => (
            <span key={severity} class="row">
              <SeverityIcon of={severity} />
              {t.alert.counted(counts[severity], severity)}
            </span>
          ))}
    </p>
  );
}

interface LineProps {
  readonly alert: Alert;
  readonly onDone: () => void;
}

function BellLine({ alert, onDone }: LineProps) {
  const server = useServer();
  const { placeOf } = useSubjects();
  const { titleOf, measuredOf } = useAlertWords();
  const age = format.roughly(Date.now() - alert.since);
  return (
    <li>
      <SeverityIcon of={alert.severity} />
      <div class="grow" onClick={onDone}>
        <Link to={to('alerts', String(alert.id))} class="ellipsis">
          {placeOf(alert)}
        </Link>
        <div class="muted small ellipsis">
          {[titleOf(alert.rule), measuredOf(alert), t.units.ago(age)]
            .filter((one) => one !== '')
            .join(' · ')}
        </div>
      </div>
      {mayWith(server, 'silence', alert) && alert.hidden_by === null && (
        <Button
          kind="quiet"
          icon={BellOff}
          label={t.alert.silenceOne(titleOf(alert.rule))}
          onClick={() => void silenceHour(server, alert)}
        />
      )}
    </li>
  );
}

/** Number of open alerts that nobody has acknowledged, at the entry of the menu. */
export function Unacked() {
  const { list = [], told } = useOpenAlerts();
  if (told.unacked === 0) return null;
  const waiting = list.filter((alert) => alert.acked_by === null && !isSilenced(alert));
  const mood = inOrder(waiting)[0]?.severity ?? '';
  return (
    <span class={`alert-count ${mood}`} title={t.alert.unacked(told.unacked)}>
      {told.unacked}
    </span>
  );
}
