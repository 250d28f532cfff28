import { Server as ServerIcon } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Server() {
  return <Empty icon={ServerIcon} title={t.frame.pages.server} />;
}
