import { Link, Loaded, to } from '../../../frame/index.ts';
import { Amount, Card, format } from '../../../parts/index.ts';
import { reasonText } from '../../../parts/monitor/reason.ts';
import { StateMark } from '../../../parts/monitor/state.tsx';
import { t } from '../../../strings/index.ts';
import { type Monitor, STATES, targetText, useMonitors } from '../model.ts';
import { uptimeFigure } from '../uptime-figure.ts';

/** Names of the monitors of a group that this reader may see. */
export const membersOf = ({ spec }: Pick<Monitor, 'spec'>) =>
  (spec as { readonly members: readonly string[] }).members;

/** Monitors of a group, the worst first, and the rule by which they count. */
export function Members({ of: monitor }: { readonly of: Monitor }) {
  const monitors = useMonitors();
  const members = membersOf(monitor);
  const { rule = 'worst', down = 1 } = monitor.spec as {
    readonly rule?: 'worst' | 'all' | 'count';
    readonly down?: number;
  };
  return (
    <Card title={t.monitors.membersTitle}>
      <p class="muted small">{t.monitors.rules[rule](down)}</p>
      <Loaded of={monitors} what={t.monitors.unreadable}>
        {(rows) => (
          <ul class="monitors-members">
            {rows
              .filter(({ name }) => members.includes(name))
              .sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))
              .map((row) => (
                <li key={row.id}>
                  <StateMark of={row.state} />
                  <Link to={to('monitors', row.name)} class="ellipsis" title={row.name}>
                    {row.name}
                  </Link>
                  <span class="muted ellipsis monitors-what">
                    {row.state === 'down' ? reasonText(row.detail) : targetText(row)}
                  </span>
                  <Amount of={row.ms === null ? undefined : format.milliseconds(row.ms)} />
                  <Amount of={uptimeFigure(row.uptime)} title={t.monitors.day} />
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
