import { useMachines } from '../../frame/index.ts';
import { Confirm, Dialog, Tabs } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Ended } from './ended.tsx';
import { Keys } from './keys.tsx';
import { Machines } from './machines.tsx';
import { isOff, useTerminals } from './model.ts';
import { ShellScreen } from './screen.tsx';
import type { Shell } from './shell.ts';
import './terminal.css';
import { Toolbar } from './toolbar.tsx';

/** `/terminal` chooses a machine; `/terminal/<uuid>` has a shell on it, on several after each other's UUIDs. */
export default function Terminal() {
  const { nameOf } = useMachines();
  const terminals = useTerminals();
  const { list, current, closing } = terminals;
  if (!current)
    return (
      <div class="page">
        <header class="page-head">
          <h1>{t.terminal.choose}</h1>
        </header>
        <Machines onOpen={terminals.open} />
      </div>
    );
  return (
    <div class="page terminal">
      <h1 class="sr">{t.frame.pages.terminal}</h1>
      <div class="terminal-head">
        <Tabs
          label={t.terminal.tabs}
          tabs={list.map((shell) => ({
            id: shell.id,
            label: <TabLabel of={shell} name={terminals.labelOf(shell)} />,
          }))}
          current={current.id}
          onChange={(id) => {
            const shell = list.find((one) => one.id === id);
            if (shell) terminals.show(shell);
          }}
        />
        <Toolbar
          shell={current}
          onDone={terminals.focus}
          onNew={terminals.choose}
          onClose={() => terminals.askClose(current)}
        />
      </div>
      {isOff(current) ? null : <ShellScreen key={current.id} shell={current} />}
      <Ended shell={current} onClose={() => terminals.close(current)} />
      {isOff(current) ? null : <Keys shell={current} />}
      {terminals.isChoosing && (
        <Dialog title={t.terminal.another} onClose={terminals.endChoosing}>
          <Machines onOpen={terminals.open} />
        </Dialog>
      )}
      {closing && (
        <Confirm
          title={t.terminal.closeTitle}
          action={t.terminal.closeShell}
          onClose={terminals.endAsking}
          onConfirm={async () => terminals.close(closing)}
        >
          <p>{t.terminal.closeAsk(nameOf(closing.uuid))}</p>
        </Confirm>
      )}
    </div>
  );
}

function TabLabel({ of, name }: { readonly of: Shell; readonly name: string }) {
  const { kind } = of.state.value;
  return (
    <span class="row" title={of.title.value}>
      {name}
      {kind !== 'open' && !isOff(of) && <span class="muted small">{t.terminal.states[kind]}</span>}
    </span>
  );
}
