import { useRef } from 'preact/hooks';
import { address } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import { List } from './list.tsx';
import type { Work } from './model.ts';
import { Worker } from './worker.tsx';
import './workers.css';

/** `workers`: all of them; `workers?name=NAME&tab=results`: one. */
export default function Workers() {
  const unsaved = useRef(new Map<string, Work>()).current;
  const name = address.value.query.get('name');
  return (
    <div class="page workers">
      <h1 class="sr">{t.workers.workers}</h1>
      {name === null ? <List /> : <Worker key={name} name={name} unsaved={unsaved} />}
    </div>
  );
}
