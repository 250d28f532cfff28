import { Activity, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { useServer } from '../../frame/server.ts';
import { t } from '../../strings/index.ts';
import { Button } from '../button.tsx';
import { Command } from '../copy.tsx';
import { Empty } from '../empty.tsx';
import { AddProbe, mayAddProbe } from './add.tsx';

interface Props {
  readonly uuid?: string | undefined;
  /** A probe was added here. */
  readonly onAdded: (key: string) => void;
}

/** View without probes: what they are for, a button that adds one, and the command that does the same. */
export function NoProbes({ uuid, onAdded }: Props) {
  const server = useServer();
  const [isOpen, setOpen] = useState(false);
  const agents = JSON.stringify([uuid ?? 'AGENT-UUID']);
  const type = `{"agent":[${agents},{"task":{"tcp_ping":"example.org:443"}}]}`;
  if (!mayAddProbe(server))
    return (
      <Empty icon={Activity} title={t.probes.none}>
        <p>{t.probes.noneHint}</p>
      </Empty>
    );
  return (
    <Empty icon={Activity} title={t.probes.none}>
      <p>{t.probes.noneHint}</p>
      <Button kind="primary" icon={Plus} onClick={() => setOpen(true)}>
        {t.probes.add.open}
      </Button>
      <p>{t.probes.noneCommand}</p>
      <Command
        text={`npx svc call crontab_create name=example cron_expression='*/10 * * * * *' cron_type='${type}'`}
      />
      {isOpen && <AddProbe uuid={uuid} onAdded={onAdded} onClose={() => setOpen(false)} />}
    </Empty>
  );
}
