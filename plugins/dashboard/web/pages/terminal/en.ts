import type { Words } from '../../strings/index.ts';

export const words = {
  tasksOff: 'Tasks are switched off on this machine, so no terminal opens.',
  shellsOff: 'This machine does not allow terminals.',
  forbidden: 'Your token may not open terminals on this machine.',
  exited: 'Press Enter for a new one.',
  away: 'This machine is not connected.',
  choose: 'Open a terminal',
  another: 'Open another terminal',
  find: 'Find by name, tag or UUID',
  notFound: 'No machines match.',
  none: 'No machine can open a terminal right now',
  noneHint: 'A machine is offered here once its agent is connected and allows terminals.',
  tabs: 'Terminals',
  screen: 'Terminal. Shift and Escape leave it.',
  states: { starting: 'connecting …', open: '', ended: 'ended' },
  smaller: 'Smaller text (Ctrl Shift −)',
  larger: 'Larger text (Ctrl Shift +)',
  search: 'Search',
  searchHint: 'Search (Ctrl Shift F)',
  found: (at: number, count: number) => (count === 0 ? 'Nothing' : `${at} of ${count}`),
  endSearch: 'Close the search',
  more: 'More for this terminal',
  copy: 'Copy the selection (Ctrl Shift C)',
  copied: 'Copied.',
  paste: 'Paste (Ctrl Shift V)',
  noPaste:
    'This browser does not let a page read the clipboard here. Paste with Ctrl Shift V, or with a long press.',
  copyOnSelect: 'Copy on select',
  address: 'Address for machines',
  addressLabel: 'Where machines reach this server',
  addressHint:
    'The agent opens the terminal to this address. Leave it empty for the address of this page.',
  addressWrong: 'Write it like wss://mon.example.net, with a port where it needs one.',
  addressKept: 'New terminals use this address.',
  save: 'Save',
  closeShell: 'Close',
  closeTitle: 'Something is running here',
  closeAsk: (machine: string) =>
    `A program is running in this terminal on ${machine}. Closing the terminal ends it, and what it has not saved is lost.`,
  closed: (code: number) =>
    code === 1008
      ? 'Your login, or your right to this terminal, has ended.'
      : code === 1000
        ? 'The shell has ended.'
        : 'The connection was lost.',
  endedAt: (clock: string) => `Ended at ${clock}.`,
  anew: 'What ran in it has ended. Press Enter for a new shell.',
  never: (address: string) =>
    `The agent did not connect to ${address}. It must be able to reach the server at this address.`,
  again: 'Press Enter to try again.',
  newShell: 'New shell',
  keys: 'Keys',
};

declare module '../../strings/index.ts' {
  interface Strings {
    readonly terminal: Words<typeof words>;
  }
}
