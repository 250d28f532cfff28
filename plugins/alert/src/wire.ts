import { SEVERITIES } from '@svc/plugin-notify/api';
import { optional, Type } from '@svc/plugin-sdk';

export const closed = { additionalProperties: false } as const;
export const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
export const Time = (description = 'Unix ms.') =>
  Type.Integer({ minimum: 0, maximum: 4_102_444_800_000, description });
export const Seconds = (maximum: number, description: string) =>
  Type.Integer({ minimum: 0, maximum, description });

export const Name = Type.String({
  minLength: 1,
  maxLength: 80,
  description: 'Name that people read; unique.',
});
export const DryRun = optional(
  Type.Boolean({
    description:
      'True: everything is checked except how much the caller may hold, and nothing is changed; the answer is what it would be.',
  }),
);
export const SeverityWord = Type.Enum([...SEVERITIES]);

export const Names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 80 }), { maxItems: 1_000, description });
