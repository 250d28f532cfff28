import { Activity } from 'lucide';
import { t } from '../../strings/index.ts';
import { Command } from '../copy.tsx';
import { Empty } from '../empty.tsx';

/** No probes yet: what makes one. */
export function NoProbes({ uuid }: { readonly uuid?: string | undefined }) {
  const agents = JSON.stringify([uuid ?? 'AGENT-UUID']);
  const type = `{"agent":[${agents},{"task":{"tcp_ping":"example.org:443"}}]}`;
  return (
    <Empty icon={Activity} title={t.probes.none}>
      <p>{t.probes.noneHint}</p>
      <Command
        text={`npx svc call crontab_create name=example cron_expression='*/10 * * * * *' cron_type='${type}'`}
      />
    </Empty>
  );
}
