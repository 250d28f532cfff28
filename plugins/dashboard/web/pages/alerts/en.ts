import type { Words } from '../../strings/index.ts';
import { browser } from './channels/en.ts';
import { rules } from './rules/en.ts';
import { silences } from './silences/en.ts';

const names = (count: number, one: string, many: string) =>
  count === 1 ? `1 ${one}` : `${count} ${many}`;

export const words = {
  ...rules,
  ...silences,
  browser,
  comma: ', ',
  semicolon: '; ',
  tabs: {
    now: 'Now',
    history: 'History',
    rules: 'Rules',
    silences: 'Silences & windows',
    channels: 'Channels',
  },
  unreadable: 'The alerts could not be read.',
  channelsUnreadable: 'The channels could not be read.',
  save: 'Save',
  remove: 'Delete',
  notSaved: 'It is not saved.',
  name: 'Name',
  nameTaken: 'There is one of this name already.',
  showAll: 'Show all',
  showMore: 'Show more',
  andMore: (count: number) => `and ${count} more`,
  isOff: 'Off',
  isActive: 'Now',
  moreSettings: 'More settings',

  well: (count: number) =>
    count === 0
      ? 'No alert is open'
      : count === 1
        ? 'Your machine is well'
        : `All ${count} machines are well`,
  someAway: (away: number, count: number) =>
    `No alert is open; ${away} of ${names(count, 'machine', 'machines')} ${away === 1 ? 'does' : 'do'} not report`,
  never: 'There has been no alert yet.',
  lastAlert: (duration: string) => `Last alert: ${duration} ago.`,
  allTaken: 'all acknowledged',
  since: (time: string) => `since ${time}`,
  whenOpened: 'when it opened',
  wasWhenOpened: (value: string) => `was ${value} when it opened`,
  saidWhenOpened: (reason: string) => `when it opened: ${reason}`,
  below: (count: number) => `${names(count, 'alert', 'alerts')} explained by this`,
  clearing: 'Ending',
  flapping: 'Comes and goes',

  ack: 'Acknowledge',
  ackTitle: (rule: string) => `Acknowledge “${rule}”`,
  ackText: (place: string) =>
    `${place}: the others see that you have it, and nobody is reminded of it.`,
  acked: 'Acknowledged.',
  unack: 'Give back',
  unacked: 'Nobody has it now.',
  note: 'Note',
  noteHint: 'The others read it: what you found, what you do.',
  close: 'Close',
  closeTitle: (rule: string) => `Close “${rule}”`,
  closeText: (place: string) => `${place}: it opens again where its condition still holds.`,
  closed: 'Closed.',
  takenBy: (who: string, time: string) => `Acknowledged by ${who}, ${time}`,
  openFor: (time: string, duration: string) => `Open since ${time} (${duration}).`,
  wasOpen: (from: string, to: string, duration: string) =>
    `Was open from ${from} to ${to} (${duration}).`,
  timeline: 'What happened',
  addNote: 'Add a note',
  addIt: 'Add',
  runbookLink: 'Instructions',

  kinds: {
    opened: 'Opened',
    closed: 'Ended',
    expired: 'Ended without recovery',
    acked: 'Acknowledged',
    unacked: 'Given back',
    suppressed: 'Not sent',
    reminded: 'Reminded',
    flapping: 'Comes and goes',
    note: 'Note',
  },
  toldAfter: (duration: string) => `Opened: told after ${duration}`,
  said: (who: string, what: string) => `${who}: ${what}`,
  byWhom: (word: string, who: string) => `${word} by ${who}`,
  noEvents: 'Nothing happened',
  shownOf: (count: number) => `The newest ${count} are shown.`,
  machine: 'Machine',
  anyMachine: 'All machines',
  rule: 'Rule',
  anyRule: 'All rules',
  kind: 'What happened',
  anyKind: 'Everything',
  anyTime: 'Any time',

  silence: 'Silence',
  silenceTitle: 'Silence alerts',
  silences: 'Silences',
  newSilence: 'New silence',
  noSilences: 'Nothing is silenced',
  silencesHint: 'A silence keeps alerts from being sent for a while; they stay visible here.',
  past: 'Past ones, too',
  silenceMade: 'Silenced.',
  silenceEnded: 'The silence has ended.',
  endSilence: 'End silence',
  reason: 'Reason',
  reasonHint: 'The others read it.',
  howLong: 'How long',
  lengths: { hour: '1 hour', tomorrow: 'Until tomorrow 9:00', own: 'Other' },
  until: 'Until',
  untilTime: (time: string) => `Until ${time}.`,
  silencedUntil: (reason: string, time: string) => `Silenced until ${time}: ${reason}`,
  reasonWanted: 'It needs a reason.',
  hidesNow: (count: number) =>
    count === 0
      ? 'Hides no open alert now'
      : `Hides ${names(count, 'open alert', 'open alerts')} now`,
  timesIn: (zone: string) => `Times by your clock, ${zone}`,
  fromTo: (from: string, to: string) => `from ${from} to ${to}`,
  endedAt: (time: string) => `ended ${time}`,
  endsIn: (time: string, duration: string) => `until ${time} (${duration} left)`,
  matcher: {
    rules: (list: string) => `“${list}”`,
    agents: (list: string) => list,
    tags: (list: string) => `tagged ${list}`,
    monitors: (list: string, count = 2) => `${count === 1 ? 'monitor' : 'monitors'} ${list}`,
  },
  whichTags: 'Tags',
  whichRules: 'Rules',
  anySeverity: 'Any severity',
  upTo: { critical: 'All, critical included', warning: 'Warnings and below', info: 'Info only' },

  windows: 'Maintenance windows',
  newWindow: 'New window',
  noWindows: 'No maintenance is planned',
  windowsHint:
    'In a window nothing is sent about the machines and monitors that it names: once, or again and again.',
  windowTitle: (name: string) => `Change “${name}”`,
  windowSaved: (name: string) => `Window “${name}” is saved.`,
  windowDeleted: (name: string) => `Window “${name}” is deleted.`,
  windowRemove: (name: string) => `Delete “${name}”`,
  windowRemoveText: 'From then on alerts are sent at these times, too.',
  windowWays: { again: 'Again and again', once: 'Once' },
  onDays: 'Days',
  everyDay: 'every day',
  begins: 'Begins',
  lasts: 'Lasts',
  cron: 'As cron',
  timesADay: (count: number) => `${count} times`,
  cronHint: 'Five fields: minute, hour, day, month, weekday.',
  zone: 'Time zone',
  noZone: 'There is no such time zone: write, for example, Europe/Berlin.',
  calendar: (zone: string) => `The next 30 days, by the clocks of ${zone}`,
  clocksChange: (minutes: number) =>
    minutes > 0 ? `Clocks go forward by ${minutes} min` : `Clocks go back by ${-minutes} min`,
  nextTimes: 'The next five times',
  hidesThen: 'It begins later; of what is open now it hides nothing yet.',
  noPages: { none: 'there is none yet.', denied: 'none that you may change.' },
  neverAgain: 'It does not come again in the next 30 days.',
  effect: 'What it does',
  effects: { quiet: 'Nothing is sent', pause: 'Nothing is checked' },
  onPages: 'Shown on status pages',

  newChannel: 'New channel',
  noChannels: 'Nobody is told yet',
  channelsHint:
    'A channel takes alerts to people: a push message on the phone, an e-mail, a chat room. Until there is one they show in the dashboard only.',
  noChannel: 'Channel not found',
  toChannels: 'To the channels',
  channelCount: (count: number) => names(count, 'channel', 'channels'),
  works: 'Works',
  notUsed: 'Not used yet',
  neverSent: 'nothing sent yet',
  testSent: (duration: string) => `test taken ${duration} ago`,
  linksHere: (url: string) =>
    `Links in messages will lead to ${url}, which opens on this computer alone. For others, set public_url under [notify] in the configuration.`,
  noAlert: 'Alert not found',
  toAlerts: 'To the alerts',
  lastSent: (duration: string) => `last sent ${duration} ago`,
  sentCounts: (sent: number, failed: number, waiting: number) =>
    [`${sent} sent`, failed > 0 ? `${failed} failed` : '', waiting > 0 ? `${waiting} waiting` : '']
      .filter((part) => part !== '')
      .join(', '),
  failingSince: (time: string) => `Failing since ${time}`,
  ownerLost: 'Its owner may not write it any more: messages wait. Save it with a token that may.',
  answered: (status: number) => `answered ${status}`,
  nobodyTold: 'No rule tells anybody yet.',
  sendThese: (count: number, channel: string) =>
    `Send ${count === 1 ? 'this rule' : `these ${count} rules`} to ${channel}`,
  sendsNow: (channel: string) => `Alerts are sent to ${channel} from now on.`,
  paste: 'Paste a URL',
  pasteHint:
    'From another program (Apprise, Shoutrrr), or the address of a webhook: it fills the form.',
  noUrl:
    'That is no address. It looks like https://… or ntfy://…; without one, choose a kind below.',
  findKind: 'Find a kind of channel',
  noKind: 'There is no such kind; most services take a webhook.',
  optionalFields: 'Optional',
  onePerLine: 'One a line.',
  secretSet: 'Set: leave it empty to keep it',
  language: 'Language of its messages',
  isUsed: 'In use',
  priorities: 'Priorities:',
  missing: (list: string) => `Still to fill in: ${list}.`,
  saveFirst: 'Save it, then test.',
  test: 'Send a test',
  testTaken: 'Taken.',
  testFailed: 'The test failed.',
  emptied: (list: string) => `Its host changed, so its secrets are gone: ${list}. Type them again.`,
  channelSaved: (name: string) => `Channel ${name} is saved.`,
  channelDeleted: (name: string, dropped: number) =>
    dropped === 0
      ? `Channel ${name} is deleted.`
      : `Channel ${name} is deleted, and ${dropped} messages with it.`,
  channelRemove: (name: string) => `Delete channel ${name}`,
  channelRemoveText: (waiting: number) =>
    waiting === 0
      ? 'Nothing is sent by it from then on.'
      : `${names(waiting, 'message that waits goes', 'messages that wait go')} with it.`,
  outbox: 'Messages',
  messageTypes: {
    'alert.opened': 'Opened',
    'alert.closed': 'Ended',
    'alert.reminder': 'Still open',
    'alert.flapping': 'Comes and goes',
    'alert.acked': 'Acknowledged',
    digest: 'Summary',
    text: 'Text',
    test: 'Test',
  },
  nothingSent: 'Nothing was sent yet.',
  retry: (name: string) => `Try ${name} again`,
  retried: (name: string, count: number) =>
    `${names(count, 'message', 'messages')} to ${name} are tried now.`,
  states: {
    sent: (time: string, status: number | null) =>
      `sent ${time}${status === null ? '' : `, answered ${status}`}`,
    waiting: (tries: number, time: string) =>
      tries === 0 ? 'waiting' : `tried ${tries}×, next at ${time}`,
    tries: (tries: number, status: number | null) =>
      tries === 0
        ? 'waiting'
        : `waiting, tried ${tries}×${status === null ? '' : `, answered ${status}`}`,
    dropped: (tries: number) => `given up after ${names(tries, 'try', 'tries')}`,
    merged: 'told together with others',
  },

  policies: 'Who is told, and when',
  policy: 'Who is told',
  defaultPolicy: 'The usual way',
  newPolicy: 'New way of telling',
  policyTitle: (name: string) => `Change “${name}”`,
  policySaved: (name: string) => `“${name}” is saved.`,
  policyDeleted: (name: string) => `“${name}” is deleted.`,
  policyRemove: (name: string) => `Delete “${name}”`,
  policyRemoveText: 'No rule may use it.',
  policyWords: {
    nobody: 'Tells nobody yet',
    first: (list: string) => `${list} at once`,
    later: (list: string, duration: string) => `${list} after ${duration}`,
    again: (severity: string, duration: string) =>
      `${severity.toLowerCase()} again every ${duration}`,
    quiet: (from: string, to: string, zone: string) => `${from}–${to} only critical (${zone})`,
    noClose: 'the end is not told',
  },
  firstStep: 'First',
  laterStep: 'Then, unless acknowledged, after',
  addStep: 'Add a step',
  removeStep: 'Remove the step',
  tellWhom: 'Tell',
  noChannelYet: 'There is no channel yet.',
  hasQuiet: 'Not at night: only critical alerts are sent then',
  quietTimes: { from: 'From', to: 'To' },
  waits: 'Waits for more before it sends',
  groupBy: 'Told together',
  groups: {
    rule: 'Alerts of one rule',
    subject: 'Alerts of one machine',
    group: 'Alerts of one group of monitors',
    severity: 'Alerts of one severity',
    all: 'All',
  },
  againFor: (severity: string) => `${severity}: again every`,
  once: 'Once only',
  sendsClose: 'Tell the end, too',
};

declare module '../../strings/index.ts' {
  interface Strings {
    readonly alerts: Words<typeof words>;
  }
}
