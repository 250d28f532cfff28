import type { AlertEvent } from './types.ts';

/** Episodes that are over, from the events of alerts. */
export function episodesOf(
  events: readonly AlertEvent[],
): readonly { readonly from: number; readonly to: number }[] {
  const ends = events.filter(({ kind }) => kind === 'closed' || kind === 'expired');
  return events
    .filter(({ kind }) => kind === 'opened')
    .flatMap(({ alert_id, episode, at }) => {
      const end = ends.find((one) => one.alert_id === alert_id && one.episode === episode);
      return end ? [{ from: at, to: end.at }] : [];
    });
}
