import { Ban } from 'lucide';
import { useRef } from 'preact/hooks';
import { address, go, to, useServer } from '../../frame/index.ts';
import { Empty, Tabs } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Databases } from './db/databases.tsx';
import { Files } from './files/buckets.tsx';
import { Namespaces } from './kv/namespaces.tsx';
import './stores.css';

const kinds = [
  { id: 'kv', plugin: 'kv', method: 'kv_list_all_namespace', right: 'list_all_namespace' },
  { id: 'db', plugin: 'db', method: 'db_list' },
  { id: 'files', plugin: 'static-bucket-file', method: 'static-bucket_list' },
] as const;

/** `stores/kv?in=NAMESPACE&key=KEY`, `stores/db?in=DATABASE&table=TABLE`, `stores/files?in=BUCKET&folder=PATH&file=PATH`. */
export default function Stores() {
  const { has, may, holds } = useServer();
  /** What is typed and not saved, by namespace and key: it outlives a look at another key. */
  const drafts = useRef(new Map<string, string>()).current;
  const shown = kinds.filter(
    (kind) =>
      has(kind.plugin) &&
      ('right' in kind ? holds(kind.id, kind.right) : may(kind.method) !== false),
  );
  const [asked] = address.value.rest;
  const kind = kinds.find(({ id }) => id === (asked ?? shown[0]?.id));
  return (
    <div class="page">
      <h1 class="sr">{t.frame.pages.stores}</h1>
      <Tabs
        label={t.stores.kindsLabel}
        tabs={shown.map(({ id }) => ({ id, label: t.stores.kinds[id] }))}
        current={kind?.id ?? ''}
        onChange={(id) => go(to('stores', id))}
      >
        {kind && shown.includes(kind) ? (
          <>
            {kind.id === 'kv' && <Namespaces drafts={drafts} />}
            {kind.id === 'db' && <Databases />}
            {kind.id === 'files' && <Files />}
          </>
        ) : (
          <Denied kind={kind} />
        )}
      </Tabs>
    </div>
  );
}

function Denied({ kind }: { readonly kind: (typeof kinds)[number] | undefined }) {
  const { has } = useServer();
  if (!kind) return <Empty icon={Ban} title={t.frame.unknownTitle} />;
  if (!has(kind.plugin))
    return (
      <Empty icon={Ban} title={t.frame.offTitle}>
        {t.frame.off(kind.plugin)}
      </Empty>
    );
  return (
    <Empty icon={Ban} title={t.frame.forbiddenTitle}>
      {t.frame.forbidden(kind.method)}
    </Empty>
  );
}
