import { SEVERITIES } from '@svc/plugin-notify/api';
import { Type } from '@svc/plugin-sdk';

export const closed = { additionalProperties: false } as const;
export const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
export const Time = (description = 'Unix ms.') =>
  Type.Integer({ minimum: 0, maximum: 4_102_444_800_000, description });
export const Seconds = (maximum: number, description: string) =>
  Type.Integer({ minimum: 0, maximum, description });

/** Text without U+0000, which Postgres holds in no text. */
export const Text = (options: Parameters<typeof Type.String>[0]) =>
  Type.String({
    pattern: '^[^\\u0000]*$',
    description: 'Text without the character U+0000.',
    ...options,
  });

/** Neither control characters and ends of lines nor those that turn the direction of writing: a name is shown in one line among others. */
const ONE_LINE =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]*$';

/** Name of a label. */
export const LabelName = Type.String({
  pattern: ONE_LINE.replace('*$', '{0,40}$'),
  description: 'Text in one line, at most 40 characters.',
});

export const Name = Type.String({
  minLength: 1,
  maxLength: 80,
  pattern: ONE_LINE,
  description: 'Name that people read, in one line; unique over all tokens.',
});
/** Label of a rule, a reason, an address: text in one line. */
export const Line = (options: Parameters<typeof Type.String>[0]) =>
  Type.String({ pattern: ONE_LINE, description: 'Text in one line.', ...options });
export const SeverityWord = Type.Enum([...SEVERITIES]);

export const Names = (description: string) =>
  Type.Array(Text({ minLength: 1, maxLength: 80 }), { maxItems: 1_000, description });
