import type { Words } from '../../strings/index.ts';

const things = (count: number) => (count === 1 ? '1 thing' : `${count} things`);

export const words = {
  about:
    'Choose a file of Uptime Kuma (kuma.db, or the backup of version 1), Gatus (config.yaml), Healthchecks (the answer to GET /api/v3/checks/) or Beszel (data.db), of at most 6 MB.',
  safe: 'Nothing is changed before you say so. Larger files are read by svc-server import.',
  another: 'Choose another file',
  counted: (count: number, outcome: string) => `${count} ${outcome.toLowerCase()}`,
  choose: 'Choose a file',
  tooLarge: 'The file is larger than 6 MB: use svc-server import on the server.',
  failed: 'The import failed.',
  make: 'Make them, switched off',
  switchOn: 'Switch on',
  undo: 'Undo',
  undoTitle: (count: number) => `Undo the import of ${things(count)}?`,
  undoAction: (count: number) => `Delete ${things(count)}`,
  undoText:
    'Monitors, channels, rules and windows that were made of this installation are deleted, with all results, even those that are switched on. What somebody changed since stays.',
  table: 'What becomes of the file',
  rewritings: 'Conditions, rewritten',
  before: 'Before',
  after: 'Here',
  name: 'Name',
  kind: 'Kind',
  outcome: 'Result',
  notes: 'What differs, or why not',
  outcomes: {
    made: 'Made',
    differently: 'Made differently',
    not_made: 'Not made',
    there: 'There already',
    switched_on: 'Switched on',
    kept: 'Kept',
    deleted: 'Deleted',
  },
  planned: 'This would be made. Nothing was changed yet.',
  done: 'It is made, and switched off: look at it, then switch it on.',
  nothing: 'Nothing was changed.',
};

declare module '../../strings/index.ts' {
  interface Strings {
    readonly monitorsImport: Words<typeof words>;
  }
}
