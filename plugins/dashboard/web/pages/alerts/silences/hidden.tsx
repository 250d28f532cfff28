import { TimerOff } from 'lucide';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Resource, useMachines, useServer } from '../../../frame/index.ts';
import { type Alert, hiddenText, mayWith, namesMonitor } from '../../../parts/alert/index.ts';
import { attempt, Button, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Silence, useSilences, useSilencing } from './model.ts';

const Silences = createContext<Resource<Silence[]> | undefined>(undefined);

/** Reads the silences once for all alerts inside of it. */
export const WithSilences = ({ children }: { readonly children: ComponentChildren }) => (
  <Silences.Provider value={useSilences(false)}>{children}</Silences.Provider>
);

/** Reason why nothing is sent; of a silence its end, too, and the way to end it. */
export function HiddenText({ alert }: { readonly alert: Alert }) {
  if (alert.hidden_by?.kind === 'silence') return <Silenced alert={alert} />;
  return <div class="muted">{hiddenText(alert)}</div>;
}

function Silenced({ alert }: { readonly alert: Alert }) {
  const server = useServer();
  const silences = useContext(Silences);
  const { end } = useSilencing(() => void silences?.refresh());
  const tags = useMachines().of(alert.subject.id)?.tags ?? [];
  const silence = silences?.data?.find((one) => hides(one, alert, tags));
  if (!silence) return <div class="muted">{hiddenText(alert)}</div>;
  const { id, reason, ends_at } = silence;
  return (
    <div class="muted alerts-silenced">
      {t.alerts.silencedUntil(reason, format.when(ends_at))}{' '}
      {mayWith(server, 'silence', alert) && (
        <Button icon={TimerOff} onClick={() => void attempt(() => end(id))}>
          {t.alerts.endSilence}
        </Button>
      )}
    </div>
  );
}

/** Tells whether this is the silence that the server names: the reason, on the machine or monitor and the rule of the alert. */
function hides(
  { scope, reason, starts_at, ends_at, ended_by }: Silence,
  { rule, subject, hidden_by }: Alert,
  tags: readonly string[],
): boolean {
  const now = Date.now();
  const { rules, agents, monitors, tags: named } = scope;
  const isMonitor = subject.kind === 'monitor';
  return (
    reason === hidden_by?.name &&
    ended_by === null &&
    starts_at <= now &&
    ends_at > now &&
    (rules == null || rules.includes(rule)) &&
    (agents == null || agents.includes(subject.id)) &&
    (monitors == null || (isMonitor && namesMonitor(monitors, subject.id))) &&
    // An alert does not say how its monitor is tagged.
    (named == null || isMonitor || named.some((tag) => tags.includes(tag)))
  );
}
