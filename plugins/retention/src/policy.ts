import { type Static, Type } from '@svc/plugin-sdk';

const DAY_MS = 86_400_000;
const KEEP_DAYS = 14;
const BUDGET_BYTES = 20e9;
/** The history takes this share of the disk at most, unless the configuration says otherwise. */
const SHARE = 5;

const NONE = 'none';
const SIZE = /^(\d+(?:\.\d+)?) ?([kMGT]?)(i?)B$/;

/** Section `[retention]`. A key that is not there has its default in a new database only. */
export const config = Type.Object({
  keep_days: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 36_500,
      description: 'Days that reports, task and job results are kept; 0: for ever. Default: 14.',
    }),
  ),
  budget: Type.Optional(
    Type.String({
      pattern: `^(?:${NONE}|${SIZE.source.slice(1, -1)})$`,
      description:
        '`"20 GB"`, `"512 MiB"` or `"none"`. Default: the smaller of 20 GB and a fifth of the disk.',
    }),
  ),
});

export type Config = Static<typeof config>;

/** Bounds of the history; undefined: no bound. */
export interface Policy {
  readonly keep_ms: number | undefined;
  /** Bytes. */
  readonly budget: number | undefined;
}

/** `isNew`: history began under the default limits. `disk`: bytes, undefined where it is not seen. */
export function policyOf(
  { keep_days, budget }: Config,
  isNew: boolean,
  disk: number | undefined,
): Policy {
  const days = keep_days ?? (isNew ? KEEP_DAYS : 0);
  const usual = isNew
    ? Math.min(BUDGET_BYTES, (disk ?? Number.POSITIVE_INFINITY) / SHARE)
    : undefined;
  return {
    keep_ms: days === 0 ? undefined : days * DAY_MS,
    budget: budget === undefined ? usual : bytesOf(budget),
  };
}

/** Bytes of a text that fits the pattern of `budget`; undefined: `none`. */
export function bytesOf(text: string): number | undefined {
  const found = SIZE.exec(text);
  if (!found) return undefined;
  const [, number, unit = '', binary] = found;
  return Math.floor(Number(number) * (binary ? 1024 : 1000) ** ' kMGT'.indexOf(unit || ' '));
}
