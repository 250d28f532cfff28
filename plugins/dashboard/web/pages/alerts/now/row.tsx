import { BellOff, Check, UserCheck } from 'lucide';
import { Link, to, useAlertWords, useServer, useSubjects } from '../../../frame/index.ts';
import {
  type Alert,
  ackedText,
  hiddenText,
  matcherOf,
  mayWith,
  SeverityIcon,
} from '../../../parts/alert/index.ts';
import { DialogButton, format, Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { AckDialog } from '../alert/dialogs/ack.tsx';
import { SilenceDialog } from '../silences/dialogs/silence.tsx';
import { HiddenText } from '../silences/hidden.tsx';
import type { Group } from './model.ts';

export function AlertRow({ alert, below }: Group) {
  return (
    <li>
      <Line alert={alert} />
      {below.length > 0 && (
        <details class="alerts-below">
          <summary>{t.alerts.below(below.length)}</summary>
          <ul>
            {below.map((one) => (
              <li key={one.id}>
                <Line alert={one} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function Line({ alert }: { readonly alert: Alert }) {
  const { subject, part, severity } = alert;
  const { nameOf } = useSubjects();
  const { titleOf, measuredOf } = useAlertWords();
  const tone = alert.state === 'clearing' ? 'muted' : severity;
  const began = alert.since;
  return (
    <div class={`alerts-row ${alert.hidden_by ? 'is-hidden' : ''}`}>
      <SeverityIcon of={severity} size={18} />
      <div class="alerts-what">
        <Link to={to('alerts', String(alert.id))} class="alerts-name">
          {titleOf(alert.rule)}
        </Link>
        <div class="muted small ellipsis">
          {subject.kind === 'agent' ? (
            <Link to={to('agent', subject.id)}>{nameOf(subject)}</Link>
          ) : (
            nameOf(subject)
          )}
          {part !== '' && <span> · {part}</span>}
        </div>
      </div>
      <div class={`alerts-value alert-value ${tone}`} title={measuredOf(alert)}>
        {measuredOf(alert)}
        {alert.value_text !== '' && <div class="muted small">{t.alerts.whenOpened}</div>}
      </div>
      <div class="alerts-since" title={format.dateTime(began)}>
        {t.alerts.since(format.when(began))}
        <div class="muted small">{format.duration(Date.now() - began)}</div>
      </div>
      <Who alert={alert} />
      <Actions alert={alert} />
    </div>
  );
}

/** Person who has it, or why nothing is sent. */
function Who({ alert }: { readonly alert: Alert }) {
  const { acked_by, ack_note, state, flapping } = alert;
  const hidden = hiddenText(alert);
  return (
    <div class="alerts-who small">
      {acked_by !== null && (
        <div class="ellipsis" title={ack_note ?? undefined}>
          <Icon of={UserCheck} size={14} /> {ackedText(acked_by)}
          {ack_note && <span class="muted">: {ack_note}</span>}
        </div>
      )}
      {hidden !== undefined && <HiddenText alert={alert} />}
      {state === 'clearing' && <div class="muted">{t.alerts.clearing}</div>}
      {flapping && <div class="muted">{t.alerts.flapping}</div>}
    </div>
  );
}

function Actions({ alert }: { readonly alert: Alert }) {
  const server = useServer();
  return (
    <div class="row alerts-actions">
      {alert.acked_by === null && mayWith(server, 'ack', alert) && (
        <DialogButton
          icon={Check}
          label={t.alerts.ack}
          dialog={(close) => <AckDialog alert={alert} onClose={close} />}
        />
      )}
      {alert.hidden_by?.kind !== 'silence' && mayWith(server, 'silence', alert) && (
        <DialogButton
          icon={BellOff}
          label={t.alerts.silence}
          dialog={(close) => <SilenceDialog scope={matcherOf(alert)} onClose={close} />}
        />
      )}
    </div>
  );
}
