import { Braces } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Workers() {
  return <Empty icon={Braces} title={t.frame.pages.workers} />;
}
