import type { Words } from '../../strings/index.ts';

export const words = {
  totals: 'The whole fleet',
  machines: 'Machines online',
  allOnline: 'all of them',
  away: (count: number) => `${count} offline`,
  cpu: 'CPU',
  cpuCurve: 'CPU of the fleet in the last half hour',
  cpuOf: (name: string) => `CPU of ${name} in the last 15 minutes`,
  worst: 'most:',
  memory: 'Memory',
  memoryCurve: 'Memory of the fleet in the last half hour',
  disk: 'Disk',
  network: 'Network now',
  networkCurve: 'Network of the fleet in the last half hour',
  today: 'Traffic today',
  todayUtc: 'Since 00:00 UTC',
  of: (whole: string) => `of ${whole}`,
  of2: (part: string, whole: string) => `${part} of ${whole}`,
  up: (duration: string) => `up ${duration}`,
  look: 'Needs attention',
  alert: (rule: string, value: string) => `${rule}: ${value}`,
  moreMonitors: (count: number) => `and ${count} more monitors`,
  allOf: (count: number) => `All ${count}`,
  never: 'Has never reported',
  offlineSince: (time: string, duration: string) => `Offline since ${time} (${duration})`,
  offlineFor: (duration: string) => `Offline for ${duration}`,
  diskFullShort: (part: string) => `Disk ${part} full`,
  memoryFull: (part: string) => `Memory ${part} full`,
  hot: (sensor: string, now: string, limit: string) => `${sensor} at ${now}, its limit is ${limit}`,
  hotShort: (now: string) => `Hot: ${now}`,
  sick: (names: string, count: number) =>
    count === 1 ? `Container ${names} is unhealthy` : `${count} containers are unhealthy: ${names}`,
  sickShort: (count: number) =>
    count === 1 ? '1 unhealthy container' : `${count} unhealthy containers`,
  refusedShort: 'Reports refused',
  oldShort: (version: string) => `Agent ${version} is old`,
  diskFull: (part: string, left: string) => `Disk ${part} full, ${left} left`,
  clockAhead: (duration: string) => `Clock ${duration} ahead`,
  clockBehind: (duration: string) => `Clock ${duration} behind`,
  refused: (reason: string) => `Reports refused: ${reason}`,
  old: (version: string, server: string) => `Agent ${version} is older than the server (${server})`,
  filter: 'Name, address, tag …',
  state: 'State',
  states: { all: 'All', online: 'Online', offline: 'Offline', look: 'Needs attention' },
  tags: 'Tags',
  everyTag: 'All tags',
  untagged: 'Untagged',
  offlineFirst: 'Offline first',
  groupByTag: 'Group by tag',
  columns: 'Columns',
  cards: 'Cards',
  table: 'Table',
  name: 'Name',
  down: 'Down',
  upload: 'Up',
  load: 'Load',
  address: 'Address',
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all shown',
  selected: (count: number) => `${count} selected`,
  clear: 'Clear selection',
  runTask: 'Run a task',
  tag: 'Tags',
  retention: 'Keep for',
  remove: 'Remove',
  save: 'Save',
  undo: 'Undo',
  tagTitle: (count: number) => (count === 1 ? 'Tags of one machine' : `Tags of ${count} machines`),
  tagHint: 'Separate tags with commas. Tags that only some of these machines have are kept.',
  tagged: (count: number) =>
    count === 1 ? 'Tags of one machine saved.' : `Tags of ${count} machines saved.`,
  retentionTitle: (count: number) =>
    count === 1 ? 'Keep reports of one machine' : `Keep reports of ${count} machines`,
  retentionHint:
    'Where this is shorter than before, older reports and task results are deleted for good.',
  days: 'Days',
  retained: (count: number) =>
    count === 1 ? 'Set for one machine.' : `Set for ${count} machines.`,
  removeTitle: (count: number) =>
    count === 1 ? 'Remove one machine?' : `Remove ${count} machines?`,
  removeAction: (count: number) => (count === 1 ? 'Remove it' : `Remove ${count} machines`),
  removeText:
    'They leave the list. Their reports stay on the server, and a machine comes back with its next report.',
  removed: (count: number) => (count === 1 ? 'One machine removed.' : `${count} machines removed.`),
  noMatch: 'No machines match these filters',
  showAll: 'Show all',
  none: 'No machines yet',
  noneText: 'A machine appears here with its first report.',
  add: {
    open: 'Add a machine',
    text: 'You get a command to paste into the machine’s shell. It installs the agent, which needs nothing but Linux.',
    name: 'Name',
    nameHint: 'Leave it empty to use the machine’s host name.',
    ownNames: 'A name is for one machine. Several machines can be named later.',
    tagHint: 'Separate with commas.',
    uses: 'Machines',
    holds: 'Valid for',
    make: 'Create the command',
    run: 'Run this on the machine, as root or as the user the agent should run as:',
    withWget: 'Without curl',
    key: '--key is the fingerprint of the key with which this server signs the agent and its updates. The machine takes only what that key has signed. The installer prints the fingerprint at its end: compare it with this one.',
    openWay:
      'This command goes over plain http://. Anyone between the machine and the server can read the machine’s token, or replace the installer and its key with others, which then run with the rights of the person who pastes the command. Before machines connect over a network that others use, give the server TLS.',
    obstacles: {
      loopback: (name: string) =>
        `On another machine ${name} is that machine itself, so this command works on this one only. Let the server listen for others: stop it and type`,
      listener: (listens: string, name: string) =>
        `The server listens on ${listens}, for its own machine only. The command works where a proxy there serves ${name}. Without one, stop it and type`,
      service: (open: string) =>
        `A server that runs as a service, and every later start, takes ws_listener = "${open}" from its configuration file.`,
      afterwards: (page: string) =>
        `Then open ${page} (or your name for it, once allowed_hosts in the configuration file lists that), and create the command there.`,
      host: (name: string) =>
        `The server answers machines that ask for ${name} with 421, because allowed_hosts in its configuration file does not list that name. Write there`,
    },
    until: (time: string) => `Valid until ${time}. Its code is shown only this once.`,
    machinesUntil: (time: string) =>
      `Your token ends at ${time}. Machines added with this command stop reporting then, too. For machines that stay, create the command with a token that does not end.`,
    waiting: 'Waiting for the machine …',
    came: (count: number) => (count === 1 ? 'Connected:' : `${count} connected, the latest:`),
  },
  steps: {
    title: 'Next steps',
    dismiss: 'Hide the next steps',
    done: 'Done',
    names: {
      add: 'Add a second machine',
      name: 'Name this machine',
      keep: 'Decide how long history is kept',
      watch: 'Watch a URL',
      tell: 'Be told: add a channel',
      status: 'Make a status page',
    },
    why: {
      add: 'One line in its shell installs the agent and connects it to this server.',
      name: 'Until then it goes by the name that its own system has.',
      watch: 'A web page, a port or a job: the server asks again and again whether it is up.',
      tell: 'A push message or an e-mail when a machine is silent or a disk fills up.',
      status: 'A public page that shows which of your machines are up.',
    },
    kept: (days: number, budget: string | undefined) => {
      const long = days === 0 ? 'everything forever' : `the last ${days} days`;
      return `Until you decide, this server keeps ${long}${budget === undefined ? '' : `, in at most ${budget}`}.`;
    },
    standardBudget: '20 GB or a fifth of its disk, whichever is less',
    nameIt: (name: string) => `Name ${name}`,
    keepIt: 'Set limits',
    keepStandard: 'Keep the default',
    watchIt: 'New monitor',
    addChannel: 'Add a channel',
    makePage: 'Make a page',
  },
  unlisted: 'The list of machines could not be read.',
  notLive: 'Live figures cannot be shown.',
};

declare module '../../strings/index.ts' {
  interface Strings {
    readonly fleet: Words<typeof words>;
  }
}
