import { useAlertWords } from '../../frame/alerts.ts';
import { Link, to } from '../../frame/router.tsx';
import { t } from '../../strings/index.ts';
import { Card } from '../card.tsx';
import * as format from '../format.ts';
import { SeverityIcon } from './severity.tsx';
import type { Alert } from './types.ts';
import { ackedText, hiddenText } from './words.ts';
import './open.css';

/** Open alerts of one machine or monitor; nothing where there are none. */
export function OpenAlerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  const { titleOf, measuredOf } = useAlertWords();
  if (alerts.length === 0) return null;
  return (
    <Card title={t.alert.ofMachine} class="open-alerts">
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
