import { t } from '../../strings/index.ts';

/** What the server writes of a failure, and what it means: conditions of the kinds say nothing that the state does not. */
const WORDS: readonly (readonly [RegExp, (found: string, more: string) => string])[] = [
  [
    /status (\d{3}), not status >= 200 && status < 400/g,
    (status) => t.probes.failures.status(status),
  ],
  [/not tls\.valid/g, () => t.probes.failures.certificate],
  [/not loss_percent < 100/g, () => t.probes.failures.noEcho],
  [/not rcode == "NOERROR" && size\(answers\) > 0/g, () => t.probes.failures.noAnswer],
  [/exit status (\d+)/g, (status) => t.probes.failures.exit(status)],
  [/^(\d+) of (\d+) (?:is|are) down$/g, (down, of) => t.monitors.membersDown(down, of)],
];

/** Reason of a failure in the reader's words; what people wrote themselves stays. */
export const reasonText = (detail: string): string =>
  WORDS.reduce(
    (text, [wanted, say]) =>
      text.replaceAll(wanted, (_all, found: string, more: string) => say(found, more)),
    detail,
  );
