import type { HoldingKind } from '@svc/plugin-sdk';

/** Codes count for the token that made them, also those that have ended, until they go. */
export const codesHeld = (config: {
  readonly max_codes: number;
  readonly max_codes_per_owner: number;
}): HoldingKind => ({
  kind: 'enrolment-code',
  plural: 'enrolment codes',
  rows: 'select owner, coalesce(octet_length(name), 0) + octet_length(tags) as bytes from enrol_code',
  limits: () => ({
    rows: { most: config.max_codes_per_owner, key: 'max_codes_per_owner under [enrol]' },
    shared: { most: config.max_codes, key: 'max_codes under [enrol]' },
  }),
  remedy: 'wait until some go, a week after they have expired; make one code for several machines',
});
