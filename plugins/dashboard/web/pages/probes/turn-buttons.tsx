import { Radar } from 'lucide';
import { navigate, to, useServer } from '../../frame/index.ts';
import { Button, Card, ErrorNote, toast, useWork } from '../../parts/index.ts';
import type { Probe } from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { isTurnable, mayTurn, turnIntoMonitor } from './turn.ts';

interface AllProps {
  readonly list: readonly Probe[];
  readonly onTurned: () => void;
}

/** Offer to watch everything that jobs probe by monitors. */
export function TurnAll({ list, onTurned }: AllProps) {
  const server = useServer();
  const some = list.filter(isTurnable);
  const { run, error, isBusy } = useWork(async () => {
    try {
      for (const probe of some) await turnIntoMonitor(server, probe);
      toast(t.probes.turn.doneAll(some.length));
    } finally {
      onTurned();
    }
  });
  if (some.length === 0 || !mayTurn(server)) return null;
  return (
    <Card>
      <div class="row wrap">
        <span class="muted probes-offer">
          {t.probes.turn.hint}
          {some.some(({ kind }) => kind === 'http_ping') && ` ${t.probes.turn.status}`}
        </span>
        <Button icon={Radar} busy={isBusy} onClick={() => void run()}>
          {t.probes.turn.all(some.length)}
        </Button>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
    </Card>
  );
}

/** Turns one probe into a monitor, and goes there. */
export function TurnOne({ probe }: { readonly probe: Probe }) {
  const server = useServer();
  const { run, error, isBusy } = useWork(async () => {
    const name = await turnIntoMonitor(server, probe);
    toast(t.probes.turn.done(name));
    navigate(to('monitors', name));
  });
  if (!isTurnable(probe) || !mayTurn(server)) return null;
  return (
    <>
      <Button icon={Radar} busy={isBusy} onClick={() => void run()}>
        {t.probes.turn.one}
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}
