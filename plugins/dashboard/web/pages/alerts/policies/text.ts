import { SEVERITIES } from '../../../parts/alert/index.ts';
import { format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Policy } from '../model.ts';

/** Channels of any step. */
export const channelsOf = ({ steps }: Policy): readonly string[] => [
  ...new Set(steps.flatMap(({ channels }) => channels)),
];

/** "phone at once, team-mail after 30 min; critical again each 4 h; quiet from 22:00 to 07:00" */
export function policyText({ steps, repeat_s, quiet, send_close }: Policy): string {
  const s = t.alerts.policyWords;
  const told = steps
    .filter(({ channels }) => channels.length > 0)
    .map(({ after_s, channels }) =>
      after_s === 0
        ? s.first(channels.join(', '))
        : s.later(channels.join(', '), format.duration(after_s * 1_000)),
    );
  const again = SEVERITIES.flatMap((severity) => {
    const seconds = repeat_s?.[severity];
    return seconds ? [s.again(t.alert.severities[severity], format.duration(seconds * 1_000))] : [];
  });
  const parts = [
    told.length === 0 ? s.nobody : told.join(t.alerts.comma),
    ...again,
    quiet ? s.quiet(quiet.from, quiet.to, quiet.zone) : '',
    send_close === false ? s.noClose : '',
  ];
  return parts.filter((part) => part !== '').join(t.alerts.semicolon);
}
