import { type Signal, signal } from '@preact/signals';
import type { Server } from '../../frame/index.ts';
import { server as shownServer } from '../../frame/server.ts';
import { Shell } from './shell.ts';

/** The terminals of one server. They live on while another page is shown. */
export interface Shells {
  readonly list: Signal<readonly Shell[]>;
  /** Id of the one that is shown. */
  readonly current: Signal<string>;
  readonly open: (uuid: string) => Shell;
  readonly close: (shell: Shell) => void;
}

const kept = new WeakMap<Server, Shells>();

export function shellsOf(server: Server): Shells {
  const found = kept.get(server) ?? make(server);
  kept.set(server, found);
  return found;
}

function make(server: Server): Shells {
  const list = signal<readonly Shell[]>([]);
  const current = signal('');
  const ask = (event: Event) => {
    if (list.value.some((shell) => shell.isBusy)) event.preventDefault();
  };
  addEventListener('beforeunload', ask);
  const stop = shownServer.subscribe((shown) => {
    if (shown === server) return;
    // Logged out: nothing of it stays.
    for (const shell of list.value) shells.close(shell);
    removeEventListener('beforeunload', ask);
    kept.delete(server);
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
