import { address } from '../../frame/index.ts';
import { EditPage } from './editor/edit.tsx';
import { NewPage } from './editor/new.tsx';
import { ListPage } from './list/page.tsx';
import { MonitorPage } from './monitor/page.tsx';
import './monitors.css';

/** `monitors`, `monitors/<name>`; `?new=` makes one, of the kind or as the monitor (`from`) that the address names; `?edit=` changes one. */
export default function Monitors() {
  const { rest, query } = address.value;
  const [name] = rest;
  if (name !== undefined && query.has('edit')) return <EditPage key={name} name={name} />;
  if (name !== undefined) return <MonitorPage key={name} name={name} />;
  if (query.has('new')) return <NewPage from={query.get('from') ?? undefined} />;
  return <ListPage />;
}
