import { Link, to, useAlertWords } from '../../../frame/index.ts';
import { ackedText, hiddenText, SeverityIcon } from '../../../parts/alert/index.ts';
import { Card, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useAlerts } from './model.ts';

/** Open alerts of a machine; nothing where there are none. */
export function OpenAlerts({ uuid }: { readonly uuid: string }) {
  const alerts = useAlerts(uuid);
  const { titleOf, measuredOf } = useAlertWords();
  if (alerts.length === 0) return null;
  return (
    <Card title={t.alert.ofMachine} class="agent-alerts">
      <ul>
        {alerts.map((alert) => (
          <li key={alert.id}>
            <SeverityIcon of={alert.severity} />
            <Link to={to('alerts', String(alert.id))}>
              {[titleOf(alert.rule), alert.part].filter((one) => one !== '').join(' · ')}
            </Link>
            <span class={`alert-value ${alert.state === 'clearing' ? 'muted' : alert.severity}`}>
              {[measuredOf(alert), alert.state === 'clearing' ? t.alert.ending : '']
                .filter((one) => one !== '')
                .join(' · ')}
            </span>
            <span class="muted small" title={format.dateTime(alert.since)}>
              {t.alert.since(format.when(alert.since))}
            </span>
            <span class="muted small ellipsis">
              {hiddenText(alert) ?? (alert.acked_by && ackedText(alert.acked_by))}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
