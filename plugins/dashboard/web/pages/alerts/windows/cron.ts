/** Weekly times as five fields of cron: `30 2 * * 1,4`. */
export interface Weekly {
  /** 0: Sunday. None: every day. */
  readonly days: readonly number[];
  /** `02:30` */
  readonly time: string;
}

const SHAPE = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-6](?:,[0-6])*)$/;

/** Reads weekly times; undefined: it is another schedule. */
export function readWeekly(cron: string): Weekly | undefined {
  const [, minute, hour, days] = SHAPE.exec(cron.trim()) ?? [];
  if (minute === undefined || hour === undefined || days === undefined) return undefined;
  // A field for times takes no other ones.
  if (Number(minute) > 59 || Number(hour) > 23) return undefined;
  return {
    days: days === '*' ? [] : days.split(',').map(Number),
    time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`,
  };
}

export function cronOf({ days, time }: Weekly): string {
  const [hour = '0', minute = '0'] = time.split(':');
  const listed = days.length === 0 || days.length === 7 ? '*' : days.toSorted().join(',');
  return `${Number(minute)} ${Number(hour)} * * ${listed}`;
}
