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
  byLink: 'the link in a message',
  threshold: 'Threshold',
  since: (time: string) => `since ${time}`,
  ofMachine: 'Open alerts',
};
