import { type Signal, signal } from '@preact/signals';
import { SquareTerminal } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import {
  address,
  navigate,
  type Server,
  to,
  useCommands,
  useCrumbs,
  useMachines,
  useServer,
} from '../../frame/index.ts';
import { server as shownServer } from '../../frame/server.ts';
import { t } from '../../strings/index.ts';
import { Shell } from './shell.ts';

/** The terminals of one server. They live on while another page is shown. */
interface Shells {
  readonly list: Signal<readonly Shell[]>;
  /** Id of the one that is shown. */
  readonly current: Signal<string>;
  readonly open: (uuid: string) => Shell;
  readonly close: (shell: Shell) => void;
}

const opened = new WeakMap<Server, Shells>();

function shellsOf(server: Server): Shells {
  const found = opened.get(server) ?? make(server);
  opened.set(server, found);
  return found;
}

function make(server: Server): Shells {
  const list = signal<readonly Shell[]>([]);
  const current = signal('');
  const confirmUnload = (event: Event) => {
    if (list.value.some((shell) => shell.isBusy)) event.preventDefault();
  };
  addEventListener('beforeunload', confirmUnload);
  const stop = shownServer.subscribe((shown) => {
    if (shown === server) return;
    // Logged out: nothing of it stays.
    for (const shell of list.value) shells.close(shell);
    removeEventListener('beforeunload', confirmUnload);
    opened.delete(server);
    queueMicrotask(() => stop());
  });
  const shells: Shells = {
    list,
    current,
    open(uuid) {
      const shell = new Shell(server, uuid);
      list.value = [...list.value, shell];
      current.value = shell.id;
      void shell.start();
      return shell;
    },
    close(shell) {
      shell.close();
      const at = list.value.indexOf(shell);
      list.value = list.value.filter((one) => one !== shell);
      if (current.value === shell.id)
        current.value = (list.value[at] ?? list.value.at(-1))?.id ?? '';
    },
  };
  return shells;
}

/** The terminals of the page: which one is shown, and how one more is opened and closed. */
export function useTerminals() {
  const shells = shellsOf(useServer());
  const { nameOf } = useMachines();
  const [closing, setClosing] = useState<Shell>();
  const [isChoosing, setChoosing] = useState(false);
  const list = shells.list.value;
  const current = list.find(({ id }) => id === shells.current.value);
  const labelOf = (shell: Shell) => numbered(nameOf(shell.uuid), shell, list);
  const show = (shell: Shell) => {
    shells.current.value = shell.id;
    navigate(to('terminal', shell.uuid), { replace: true });
    shell.focus();
  };
  const close = (shell: Shell) => {
    shells.close(shell);
    const next = shells.list.value.find(({ id }) => id === shells.current.value);
    navigate(next ? to('terminal', next.uuid) : to('terminal'), { replace: true });
  };
  /** Focuses the current shell once a dialog is gone. */
  const focus = () => requestAnimationFrame(() => current?.focus());
  useWanted(shells);
  useCrumbs(...(current ? [{ label: nameOf(current.uuid) }] : []));
  useCommands(() =>
    list.map((shell) => ({
      id: `shell ${shell.id}`,
      label: labelOf(shell),
      group: t.terminal.tabs,
      icon: SquareTerminal,
      run: () => show(shell),
    })),
  );
  return {
    list,
    current,
    labelOf,
    show,
    close,
    /** Asks first where a program runs. */
    askClose: (shell: Shell) => (shell.isBusy ? setClosing(shell) : close(shell)),
    /** The shell that is asked about. */
    closing,
    endAsking: () => {
      setClosing(undefined);
      focus();
    },
    open: (uuid: string) => {
      setChoosing(false);
      show(shells.open(uuid));
    },
    isChoosing,
    choose: () => setChoosing(true),
    endChoosing: () => {
      setChoosing(false);
      focus();
    },
    focus,
  };
}

/** Returns the name of a shell's machine, with a number where there are several on it. */
function numbered(name: string, shell: Shell, list: readonly Shell[]): string {
  const same = list.filter(({ uuid }) => uuid === shell.uuid);
  return same.length > 1 ? `${name} ${same.indexOf(shell) + 1}` : name;
}

/** Opens what the address names and is not open yet. */
function useWanted(shells: Shells): void {
  const wanted = address.value.rest.join(' ');
  useEffect(() => {
    for (const uuid of wanted.split(' ').filter((one) => one !== '')) {
      const found = shells.list.value.filter((shell) => shell.uuid === uuid);
      const isShown = found.some(({ id }) => id === shells.current.value);
      if (!found[0]) shells.open(uuid);
      else if (!isShown) shells.current.value = found[0].id;
    }
  }, [wanted]);
}

/** Tells whether the machine allows no terminal: there is nothing to show but why. */
export const isOff = ({ state: { value } }: Shell): boolean =>
  value.kind === 'ended' && value.how === 'off';
