import { Plug, RotateCw } from 'lucide';
import { useState } from 'preact/hooks';
import { useServer } from '../../frame/index.ts';
import { Button, format, Icon } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { addressForAgents } from './settings.ts';
import type { Shell } from './shell.ts';
import { Address } from './toolbar.tsx';

/** Under a screen whose shell has ended: why, and the way on. */
export function Ended({ shell, onClose }: { readonly shell: Shell; readonly onClose: () => void }) {
  const server = useServer();
  const [isAddressing, setAddressing] = useState(false);
  const state = shell.state.value;
  if (state.kind !== 'ended') return null;
  return (
    <div class="note warn" role="alert">
      <Icon of={Plug} />
      <div class="grow">
        <strong>{t.terminal.endedAt(format.clock(state.at))} </strong>
        <span>{state.why} </span>
        <span class="muted">
          {state.never ? t.terminal.never(addressForAgents(server)) : t.terminal.anew}
        </span>
      </div>
      {state.never && <Button onClick={() => setAddressing(true)}>{t.terminal.address}</Button>}
      <Button icon={RotateCw} onClick={() => void shell.start()}>
        {t.terminal.again}
      </Button>
      <Button onClick={onClose}>{t.terminal.closeShell}</Button>
      {isAddressing && <Address onClose={() => setAddressing(false)} />}
    </div>
  );
}
