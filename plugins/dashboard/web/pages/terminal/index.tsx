import { SquareTerminal } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Terminal() {
  return <Empty icon={SquareTerminal} title={t.frame.pages.terminal} />;
}
