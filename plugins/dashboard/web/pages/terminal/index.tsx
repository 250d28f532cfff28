import { SquareTerminal } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import {
  address,
  go,
  to,
  useCommands,
  useCrumbs,
  useMachines,
  useServer,
} from '../../frame/index.ts';
import { Confirm, Tabs } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Chooser } from './chooser.tsx';
import { Ended } from './ended.tsx';
import { Keys } from './keys.tsx';
import type { Shell } from './shell.ts';
import { ShellView } from './shell-view.tsx';
import { shellsOf } from './shells.ts';
import './terminal.css';
import { Toolbar } from './toolbar.tsx';

/** `/terminal` chooses a machine; `/terminal/<uuid>` has a shell on it, on several after each other's UUIDs. */
export default function Terminal() {
  const server = useServer();
  const { nameOf } = useMachines();
  const shells = shellsOf(server);
  const [asked, setAsked] = useState<Shell | undefined>();
  const [isChoosing, setChoosing] = useState(false);
  const list = shells.list.value;
  const current = list.find(({ id }) => id === shells.current.value);
  useWanted();
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
  const labelOf = (shell: Shell) => {
    const same = list.filter(({ uuid }) => uuid === shell.uuid);
    return same.length > 1
      ? `${nameOf(shell.uuid)} ${same.indexOf(shell) + 1}`
      : nameOf(shell.uuid);
  };
  const show = (shell: Shell) => {
    shells.current.value = shell.id;
    go(to('terminal', shell.uuid), { replace: true });
    shell.takeKeyboard();
  };
  /** Once a dialog is gone. */
  const goOn = () => requestAnimationFrame(() => current?.takeKeyboard());
  const close = (shell: Shell) => {
    shells.close(shell);
    const next = shells.list.value.find(({ id }) => id === shells.current.value);
    go(next ? to('terminal', next.uuid) : to('terminal'), { replace: true });
  };
  const closeAsked = (shell: Shell) => (shell.isBusy ? setAsked(shell) : close(shell));
  const open = (uuid: string) => {
    setChoosing(false);
    show(shells.open(uuid));
  };
  const stopChoosing = () => {
    setChoosing(false);
    goOn();
  };
  const stay = () => {
    setAsked(undefined);
    goOn();
  };
  if (!current) return <Chooser onOpen={open} />;
  return (
    <div class="page terminal">
      <h1 class="sr">{t.frame.pages.terminal}</h1>
      <div class="terminal-head">
        <Tabs
          label={t.terminal.tabs}
          tabs={list.map((shell) => ({
            id: shell.id,
            label: <TabLabel of={shell} name={labelOf(shell)} />,
          }))}
          current={current.id}
          onChange={(id) => {
            const shell = list.find((one) => one.id === id);
            if (shell) show(shell);
          }}
        />
        <Toolbar
          shell={current}
          onDone={goOn}
          onNew={() => setChoosing(true)}
          onClose={() => closeAsked(current)}
        />
      </div>
      {isOff(current) ? null : <ShellView key={current.id} shell={current} />}
      <Ended shell={current} onClose={() => close(current)} />
      {isOff(current) ? null : <Keys shell={current} />}
      {isChoosing && <Chooser onOpen={open} onClose={stopChoosing} />}
      {asked && (
        <Confirm
          title={t.terminal.closeTitle}
          action={t.terminal.closeShell}
          onClose={stay}
          onConfirm={async () => close(asked)}
        >
          <p>{t.terminal.closeAsk(nameOf(asked.uuid))}</p>
        </Confirm>
      )}
    </div>
  );
}

/** The machine allows no terminal: there is nothing to show but why. */
const isOff = ({ state: { value } }: Shell) => value.kind === 'ended' && value.how === 'off';

function TabLabel({ of, name }: { readonly of: Shell; readonly name: string }) {
  const { kind } = of.state.value;
  return (
    <span class="row" title={of.title.value}>
      {name}
      {kind !== 'open' && !isOff(of) && <span class="muted small">{t.terminal.states[kind]}</span>}
    </span>
  );
}

/** An address with machines opens what is not open yet. */
function useWanted(): void {
  const shells = shellsOf(useServer());
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
