import { BellOff, BellRing, BookOpen, Check, CircleX, Undo2 } from 'lucide';
import {
  Link,
  Loaded,
  navigate,
  to,
  useAlertWords,
  useCrumbs,
  useServer,
  useSubjects,
} from '../../../frame/index.ts';
import {
  type Alert,
  ackedText,
  hiddenText,
  matcherOf,
  mayWith,
  measuredText,
  SeverityIcon,
} from '../../../parts/alert/index.ts';
import {
  attempt,
  Button,
  Card,
  DialogButton,
  Empty,
  format,
  Icon,
  Skeleton,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isMissing } from '../missing.ts';
import { useAlertWork } from '../model.ts';
import { ruleText } from '../rules/sentence.ts';
import { SilenceDialog } from '../silences/dialogs/silence.tsx';
import { HiddenText, WithSilences } from '../silences/hidden.tsx';
import { AlertChart } from './chart.tsx';
import { AckDialog } from './dialogs/ack.tsx';
import { CloseDialog } from './dialogs/close.tsx';
import { type AlertPage, useAlert } from './model.ts';
import { Timeline } from './timeline.tsx';

/** One alert: how it is, how it was, and who heard of it. */
export function AlertView({ id }: { readonly id: number }) {
  const page = useAlert(id);
  const { titleOf } = useAlertWords();
  const { placeOf } = useSubjects();
  useCrumbs({
    label: page.data
      ? `${titleOf(page.data.alert.rule)} · ${placeOf(page.data.alert)}`
      : String(id),
  });
  return (
    <div class="page alerts">
      {isMissing(page.error) ? (
        <Empty icon={BellRing} title={t.alerts.noAlert}>
          <Button onClick={() => navigate(to('alerts'))}>{t.alerts.toAlerts}</Button>
        </Empty>
      ) : (
        <Loaded of={page} what={t.alerts.unreadable} skeleton={<Skeleton rows={8} />}>
          {(found) => <Content page={found} onChanged={page.refresh} />}
        </Loaded>
      )}
    </div>
  );
}

interface Props {
  readonly page: AlertPage;
  readonly onChanged: () => void;
}

function Content({ page, onChanged }: Props) {
  const { alert, rule } = page;
  const { titleOf } = useAlertWords();
  return (
    <div class="stack">
      <header class="page-head">
        <h1 class="grow alerts-title">
          <SeverityIcon of={alert.severity} size={20} /> {titleOf(alert.rule)}
        </h1>
        <Actions alert={alert} onChanged={onChanged} />
      </header>
      <Facts page={page} />
      {rule?.runbook && (
        <p>
          <Icon of={BookOpen} class="alerts-inline" />{' '}
          <a href={rule.runbook} target="_blank" rel="noreferrer">
            {t.alerts.runbookLink}
          </a>
        </p>
      )}
      <AlertChart page={page} />
      <Card title={t.alerts.timeline}>
        <Timeline page={page} onChanged={onChanged} />
      </Card>
    </div>
  );
}

function Facts({ page: { alert, rule } }: { readonly page: AlertPage }) {
  const { nameOf } = useSubjects();
  const { subject, part, closed_at, acked_by, ack_note, value_text } = alert;
  const began = alert.since;
  const end = closed_at ?? Date.now();
  const hidden = hiddenText(alert);
  const measured = measuredText(alert, rule ?? undefined);
  return (
    <Card class="alerts-facts">
      <p class="alerts-state">
        {closed_at === null
          ? t.alerts.openFor(format.when(began), format.duration(end - began))
          : t.alerts.wasOpen(
              format.when(began),
              format.when(closed_at),
              format.duration(end - began),
            )}
        {alert.state === 'clearing' && ` ${t.alerts.clearing}.`}
      </p>
      <p>
        {subject.kind === 'agent' ? (
          <Link to={to('agent', subject.id)}>{nameOf(subject)}</Link>
        ) : (
          <strong>{nameOf(subject)}</strong>
        )}
        {part !== '' && ` · ${part}`}
        {measured !== '' && (
          <span class={`alert-value ${alert.state === 'clearing' ? 'muted' : alert.severity}`}>
            {' · '}
            {value_text === '' || rule?.source === 'presence'
              ? measured
              : subject.kind === 'monitor'
                ? t.alerts.saidWhenOpened(measured)
                : t.alerts.wasWhenOpened(measured)}
          </span>
        )}
      </p>
      {value_text !== '' && alert.summary !== '' && <p>{alert.summary}</p>}
      {rule && (
        <p class="muted">
          <Link to={to('alerts', 'rules', rule.name)}>{t.alerts.rule}</Link>: {ruleText(rule)}
        </p>
      )}
      {hidden !== undefined && (
        <WithSilences>
          <HiddenText alert={alert} />
        </WithSilences>
      )}
      {acked_by !== null && (
        <p>
          {t.alerts.takenBy(ackedText(acked_by), format.when(alert.acked_at ?? 0))}
          {ack_note && `: ${ack_note}`}
        </p>
      )}
    </Card>
  );
}

interface ActionProps {
  readonly alert: Alert;
  readonly onChanged: () => void;
}

function Actions({ alert, onChanged }: ActionProps) {
  const server = useServer();
  const { giveBack } = useAlertWork(alert.id, onChanged);
  if (alert.state === 'closed') return null;
  const may = (verb: 'ack' | 'silence' | 'write') => mayWith(server, verb, alert);
  return (
    <>
      {may('ack') && alert.acked_by === null && (
        <DialogButton
          kind="primary"
          icon={Check}
          dialog={(close) => <AckDialog alert={alert} onClose={close} onDone={onChanged} />}
        >
          {t.alerts.ack}
        </DialogButton>
      )}
      {may('ack') && alert.acked_by !== null && (
        <Button icon={Undo2} onClick={() => void attempt(giveBack)}>
          {t.alerts.unack}
        </Button>
      )}
      {alert.hidden_by?.kind !== 'silence' && may('silence') && (
        <DialogButton
          kind="plain"
          icon={BellOff}
          dialog={(close) => (
            <SilenceDialog scope={matcherOf(alert)} onClose={close} onDone={onChanged} />
          )}
        >
          {t.alerts.silence}
        </DialogButton>
      )}
      {may('write') && (
        <DialogButton
          kind="plain"
          icon={CircleX}
          dialog={(close) => <CloseDialog alert={alert} onClose={close} onDone={onChanged} />}
        >
          {t.alerts.close}
        </DialogButton>
      )}
    </>
  );
}
