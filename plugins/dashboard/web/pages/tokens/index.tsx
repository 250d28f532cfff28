import { KeyRound } from 'lucide';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export default function Tokens() {
  return <Empty icon={KeyRound} title={t.frame.pages.tokens} />;
}
