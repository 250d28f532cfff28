import { Activity } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Probes() {
  return <Empty icon={Activity} title={t.frame.pages.probes} />;
}
