import { CalendarClock } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Jobs() {
  return <Empty icon={CalendarClock} title={t.frame.pages.jobs} />;
}
