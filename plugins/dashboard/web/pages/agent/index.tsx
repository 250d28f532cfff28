import { Server } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Agent() {
  return <Empty icon={Server} title={t.frame.pages.agent} />;
}
