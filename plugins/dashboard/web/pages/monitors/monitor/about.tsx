import type { ComponentChildren } from 'preact';
import { Link, to } from '../../../frame/index.ts';
import { Card, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isChecked, type Monitor } from '../model.ts';

interface Props {
  readonly monitor: Monitor;
}

/** How it is set: when a check is good, how patient it is, where it belongs. */
export function About({ monitor }: Props) {
  const { name, kind, parent, group, tags, public_name, severity, note } = monitor;
  const { fields } = t.monitors;
  return (
    <Card title={t.monitors.about.title}>
      <dl class="monitors-about">
        {isChecked(kind) && <Checks monitor={monitor} />}
        {parent !== null && (
          <Line label={t.monitors.parent.label}>
            <Link to={to('monitors', parent)}>{parent}</Link>
          </Line>
        )}
        {group !== null && (
          <Line label={fields.group}>
            <Link to={to('monitors', { q: group })}>{group}</Link>
          </Line>
        )}
        {tags.length > 0 && (
          <Line label={fields.tags}>
            <span class="row wrap">
              {tags.map((tag) => (
                <Link key={tag} class="tag" to={to('monitors', { q: tag })}>
                  {tag}
                </Link>
              ))}
            </span>
          </Line>
        )}
        {public_name !== null && public_name !== name && (
          <Line label={fields.public_name}>{public_name}</Line>
        )}
        <Line label={fields.severity}>{t.alert.severities[severity]}</Line>
        {note !== '' && (
          <Line label={fields.note}>
            <span class="monitors-note">{note}</span>
          </Line>
        )}
      </dl>
    </Card>
  );
}

interface LineProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

const Line = ({ label, children }: LineProps) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** When a check is good, and how many it takes. */
function Checks({ monitor }: Props) {
  const { condition, upside_down, retries, retry_s, recover_after, timeout_s, down_when } = monitor;
  const { about } = t.monitors;
  return (
    <>
      <Line label={about.good}>
        {condition === null ? (
          about.usual(monitor.kind)
        ) : (
          <code class="monitors-condition">{condition}</code>
        )}
        {upside_down && <p class="monitors-warn">{about.upsideDown}</p>}
      </Line>
      <Line label={about.down}>
        {about.patience(retries, format.duration(retry_s * 1_000))}
        {down_when !== null && ` ${about.places(down_when)}`}
      </Line>
      {recover_after > 1 && <Line label={about.up}>{about.recovery(recover_after)}</Line>}
      <Line label={about.takes}>{format.duration(timeout_s * 1_000)}</Line>
    </>
  );
}
