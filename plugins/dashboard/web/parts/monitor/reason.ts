import { t } from '../../strings/index.ts';

/** What the server writes of a failure, and what it means: conditions of the kinds say nothing that the state does not. */
const WORDS: readonly (readonly [RegExp, (found: string, more: string) => string])[] = [
  // A condition that follows was written by somebody, with the status beside it.
  [/\bstatus (\d{3})(?![\d,])/g, (status) => t.probes.failures.status(status)],
  [/not tls\.valid/g, () => t.probes.failures.certificate],
  [/no echo came back/g, () => t.probes.failures.noEcho],
  [/there is no such name \(NXDOMAIN\)/g, () => t.probes.failures.noName],
  [/the name has no records of the type (\w+)/g, (type) => t.probes.failures.noRecords(type)],
  [/the connection was refused/g, () => t.probes.failures.refused],
  [/timed out after ([\d.]+) s/g, (seconds) => t.probes.failures.late(seconds)],
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
