/** Words of what silences and windows are about. */
export const silences = {
  nothingNamed: (offered: { readonly tags: boolean; readonly monitors: boolean }) =>
    `Choose what it is about: machines, ${offered.monitors ? 'monitors, ' : ''}${offered.tags ? 'tags, ' : ''}rules or a severity.`,
  subjects: { agents: 'Machines', monitors: 'Monitors' },
  bothKinds: 'It names machines and monitors. No alert is about both, so it hides nothing.',
  noneChosen: 'None is chosen: it is about all that the rest fits.',
  monitors: (count: number) => (count === 0 ? 'Monitors' : `Monitors (${count} chosen)`),
  findMonitor: 'Find by name, group or tag',
  noMonitor: 'No monitors match.',
  alsoLater: (text: string) => `Add ${text}, later ones, too`,
  monitorsHint:
    'A group stands for the monitors that are in it now. Write how names begin to add all of them.',
  wholeRule: 'This hides all alerts of the rule: a silence can name machines and monitors only.',
  beginsWith: (text: string) => `all that begin with “${text}”`,
  anyMonitor: 'of any name',
  moreMonitors: (text: string) =>
    `A * at the end stands for any rest: this hides all monitors whose names begin with “${text}”.`,
};
