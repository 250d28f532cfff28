import { Plug, RotateCw } from 'lucide';
import { useServer } from '../../frame/index.ts';
import { HowToAllow } from '../../parts/allow.tsx';
import { Button, DialogButton, format, Icon } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { AddressDialog } from './dialogs/address.tsx';
import { addressForAgents } from './settings.ts';
import type { Shell } from './shell.ts';

/** Under a screen whose shell has ended: why, and the way on. */
export function Ended({ shell, onClose }: { readonly shell: Shell; readonly onClose: () => void }) {
  const server = useServer();
  const state = shell.state.value;
  if (state.kind !== 'ended') return null;
  const isNever = state.how === 'never';
  const isFault = state.how !== 'exit' && state.how !== 'off';
  return (
    <div class={isFault ? 'note warn' : 'note'} role={isFault ? 'alert' : 'status'}>
      <Icon of={Plug} />
      <div class="grow">
        {(state.how === 'over' || state.how === 'exit') && (
          <strong>{t.terminal.endedAt(format.clock(state.at))} </strong>
        )}
        <span>{state.why} </span>
        <span class="muted">
          {state.how === 'over' && t.terminal.anew}
          {state.how === 'refused' && t.terminal.again}
          {state.how === 'exit' && t.terminal.exited}
          {isNever && t.terminal.never(addressForAgents(server))}
        </span>
        {state.how === 'off' && <HowToAllow kind="web_shell" />}
      </div>
      {isNever && (
        <DialogButton kind="plain" dialog={(close) => <AddressDialog onClose={close} />}>
          {t.terminal.address}
        </DialogButton>
      )}
      <Button
        icon={RotateCw}
        onClick={() => {
          void shell.start();
          // The keyboard moves before this button goes, and would be lost with it.
          shell.focus();
        }}
      >
        {state.how === 'off' || state.how === 'refused' ? t.parts.retry : t.terminal.newShell}
      </Button>
      <Button onClick={onClose}>{t.terminal.closeShell}</Button>
    </div>
  );
}
