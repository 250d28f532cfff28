import { ListChecks } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Tasks() {
  return <Empty icon={ListChecks} title={t.frame.pages.tasks} />;
}
