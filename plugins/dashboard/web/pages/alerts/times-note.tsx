import { t } from '../../strings/index.ts';

/** Zone of the times of a list, once. */
export const TimesNote = () => (
  <p class="muted small">{t.alerts.timesIn(Intl.DateTimeFormat().resolvedOptions().timeZone)}</p>
);
