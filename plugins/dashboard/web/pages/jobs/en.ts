import type { Words } from '../../strings/index.ts';

export const words = {
  new: 'New job',
  count: (count: number) => (count === 1 ? 'One job' : `${count} jobs`),
  unreadable: 'The jobs could not be read.',
  unknown: 'Job not found',
  toList: 'Go to the jobs',
  none: 'No jobs yet',
  noneHint: 'A job runs a task on machines, or a script on the server, at times that you choose.',
  enabled: (name: string) => `${name} runs on schedule`,
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  off: 'Off',
  never: 'This time never comes.',
  nextIn: (duration: string) => `Next in ${duration}`,
  inTime: (duration: string) => `in ${duration}`,
  nextTimes: 'The next five times',
  zone: 'In your time zone:',
  machines: (count: number) => (count === 0 ? 'no machine yet' : `${count} machines`),
  runsScript: (script: string) => `Script ${script}`,
  does: 'What it does',
  lastRun: (time: string) => `Last run ${time}`,
  runs: 'Runs',
  noRuns: 'No runs yet',
  noRunsHint:
    'Runs appear here when the time comes. What is started by hand is in the history of tasks.',
  strip: (count: number, bad: number, part: number) =>
    [
      count === 1 ? 'one run' : `${count} runs`,
      bad > 0 && `${bad} failed`,
      part > 0 && `${part} incomplete`,
      bad + part === 0 && 'none failed',
    ]
      .filter(Boolean)
      .join(', '),
  tookPart: (done: number, all: number) =>
    all === 1 && done === 1 ? 'One machine' : `${done} of ${all} machines`,
  medianOf: (figure: string) => `median ${figure}`,
  slowestIs: (name: string, figure: string) => `slowest ${name} ${figure}`,
  stillRunning: (count: number) => `${count} still running`,
  failedCount: (count: number) => `${count} failed`,
  awayCount: (count: number) => `${count} away`,
  allAway: (count: number) =>
    count === 1 ? 'the machine was not connected' : 'no machine was connected',
  withResult: (count: number) => (count === 1 ? 'One result' : `${count} results`),
  more: (count: number) => `and ${count} more`,
  showMachines: (count: number) => `Show the ${count} machines`,
  scriptMoods: { fine: 'done', part: 'incomplete', bad: 'failed', open: 'running' },
  moods: { open: 'Running', away: 'Away' },
  noEnding: 'Started. The result is no longer kept, or your token may not read it.',
  runNow: 'Run now',
  runNowHint: 'Runs the job once, now. Its schedule stays as it is.',
  start: 'Start',
  noMachines: 'The job has no machine yet.',
  edit: 'Edit',
  editTitle: (name: string) => `Edit ${name}`,
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete the job ${name}?`,
  deleteLost: 'Its schedule and task are lost. Runs that have begun continue, and results stay.',
  deleted: (name: string) => `${name} is deleted.`,
  undo: 'Undo',
  name: 'Name',
  nameHint: 'It cannot be changed later.',
  nameWrong: 'At most 128 characters, without / and \\.',
  often: 'How often',
  own: 'Custom',
  expression: 'Schedule (cron, UTC)',
  expressionHint:
    'second minute hour day month weekday [year]. Weekdays are 1 (Sunday) to 7, or names.',
  expressionWrong: (reason: string) => `The server would refuse it: ${reason}.`,
  onMachines: 'Task on machines',
  script: 'Script',
  chooseScript: 'Choose a script',
  params: 'Parameters (JSON)',
  paramsHint: 'Passed to the script.',
  unseen: (count: number) =>
    count === 1
      ? 'One machine that you cannot see stays in the job.'
      : `${count} machines that you cannot see stay in the job.`,
  save: 'Save',
  saved: (name: string) => `${name} is saved.`,
  notSaved: 'The job was not saved.',
  cron: {
    everySeconds: (step: number) => (step === 1 ? 'Every second' : `Every ${step} seconds`),
    everyMinutes: (step: number, second: number) => {
      const often = step === 1 ? 'Every minute' : `Every ${step} minutes`;
      return second === 0 ? often : `${often}, at second ${second}`;
    },
    everyHours: (step: number, past: string) => {
      const often = step === 1 ? 'Every hour' : `Every ${step} hours`;
      return past === '00' ? often : `${often}, at :${past}`;
    },
    at: (times: string) => `at ${times} UTC`,
    parts: (hours: string, minutes: string, seconds: string) =>
      `at hours ${hours}, minutes ${minutes}, seconds ${seconds} (UTC)`,
    everyDay: (time: string, isOften: boolean) => (isOften ? time : `Every day ${time}`),
    on: (day: string, time: string) =>
      time.startsWith('at ') ? `${day} ${time}` : `${day}: ${time}`,
    days: (days: string) => `On day ${days} of the month`,
    months: (months: string) => `in ${months}`,
    years: (years: string) => `in ${years}`,
    span: (from: string, to: string) => `${from} to ${to}`,
    and: ', ',
  },
};

declare module '../../strings/index.ts' {
  interface Strings {
    readonly jobs: Words<typeof words>;
  }
}
