import { LayoutGrid } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Fleet() {
  return <Empty icon={LayoutGrid} title={t.frame.pages.fleet} />;
}
