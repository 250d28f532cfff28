import { optional, Type } from '@svc/plugin-sdk';
import { closed, Line, Name, Names, Seconds } from '../wire.ts';

const Step = Type.Object(
  {
    after_s: Seconds(604_800, 'Seconds after the opening, while nobody has acknowledged it.'),
    channels: Names('Channels, by name.'),
  },
  closed,
);
const HourMinute = Type.String({
  pattern: '^[0-2][0-9]:[0-5][0-9]$',
  description: '`HH:MM`, 00:00 to 23:59.',
});
export const PolicySettings = Type.Object(
  {
    name: Name,
    steps: Type.Array(Step, { maxItems: 10 }),
    group_by: optional(
      Type.Enum(['rule', 'subject', 'group', 'severity', 'all'], {
        description:
          '`group`: the group of a monitor; without one, and of anything else, the subject. Default: `rule`.',
      }),
    ),
    wait_s: optional(Seconds(3_600, 'Seconds that the first alert of a group waits. Default: 10.')),
    interval_s: optional(Seconds(86_400, 'Seconds between two messages of a group. Default: 60.')),
    repeat_s: optional(
      Type.Object(
        {
          info: Type.Optional(Seconds(604_800, '')),
          warning: Type.Optional(Seconds(604_800, '')),
          critical: Type.Optional(Seconds(604_800, '')),
        },
        { ...closed, description: 'Seconds until it is told again. Default: critical 14400.' },
      ),
    ),
    quiet: optional(
      Type.Object(
        {
          from: HourMinute,
          to: HourMinute,
          zone: Line({ maxLength: 64 }),
        },
        { ...closed, description: 'Hours in which only critical alerts are told.' },
      ),
    ),
    send_close: optional(Type.Boolean({ description: 'Default: true.' })),
  },
  closed,
);
