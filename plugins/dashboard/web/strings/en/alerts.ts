/** Texts about alerts that the frame, parts and several pages say. */
export const alert = {
  severities: { critical: 'Critical', warning: 'Warning', info: 'Info' },
  counted: (count: number, severity: 'critical' | 'warning' | 'info') =>
    `${count} ${{ critical: 'critical', warning: count === 1 ? 'warning' : 'warnings', info: 'info' }[severity]}`,
  bell: (count: number) => (count === 1 ? 'Alerts: 1 is open' : `Alerts: ${count} are open`),
  bellNone: 'Alerts: none is open',
  all: 'All alerts',
  unacked: (count: number) =>
    count === 1 ? '1 that nobody has acknowledged' : `${count} that nobody has acknowledged`,
  silenceOne: (rule: string) => `Silence 1 h: ${rule}`,
  hourReason: 'Silenced for an hour from the dashboard',
  silenced: (rule: string, name: string) => `“${rule}” on ${name} is silent for 1 h.`,
  undo: 'Undo',
  undone: 'It is told again.',
  hidden: {
    silence: (name: string) => (name === '' ? 'Silenced' : `Silenced: ${name}`),
    window: (name: string) => (name === '' ? 'In maintenance' : `Maintenance: ${name}`),
    subject: (name: string) =>
      name === '' ? 'Explained by another alert' : `Explained by “${name}”`,
    frozen: () => 'Its machine is silent: the last known state',
  },
  back: 'it reports again',
  daysLeft: (left: number) => {
    const days = Math.floor(Math.abs(left));
    const span = days === 0 ? 'less than a day' : days === 1 ? 'one day' : `${days} days`;
    return left < 0 ? `ended ${span} ago` : `${span} left`;
  },
  away: (duration: string) => `away for ${duration}`,
  compared: (value: string, threshold: string) => `${value} (${threshold})`,
  ending: 'ending',
  shipped: {
    offline: 'Machine offline',
    'disk-almost-full': 'Disk almost full',
    'disk-full': 'Disk full',
    memory: 'Memory pressure',
    refused: 'Reports refused',
    contract: 'Machine contract ends',
    'channel-failing': 'Channel failing',
    'database-disk': 'Disk of the database almost full',
    'reports-lost': 'Reports lost',
    'server-dead': 'Another server dead',
    'cut-off': 'Server cut off',
    'monitor-down': 'Monitor down',
    'heartbeat-late': 'Heartbeat late or failed',
    certificate: 'Certificate expiring',
    'certificate-critical': 'Certificate about to expire',
    'clock-off': 'Clock of a machine off',
    'cpu-busy': 'CPU busy',
    restarted: 'Machine restarted',
  },
  byLink: 'the link in a message',
  threshold: 'Threshold',
  since: (time: string) => `since ${time}`,
  ofMachine: 'Open alerts',
};
