import { Database } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Stores() {
  return <Empty icon={Database} title={t.frame.pages.stores} />;
}
