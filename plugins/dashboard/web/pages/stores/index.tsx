import { Ban } from 'lucide';
import { useRef } from 'preact/hooks';
import { address, navigate, to, useServer } from '../../frame/index.ts';
import { Empty, Tabs } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Databases } from './db/databases.tsx';
import { Buckets } from './files/buckets.tsx';
import { Namespaces } from './kv/namespaces.tsx';
import { type Kind, kinds, useKinds } from './model.ts';
import './stores.css';

/** `stores/kv?in=NAMESPACE&key=KEY`, `stores/db?in=DATABASE&table=TABLE`, `stores/files?in=BUCKET&folder=PATH&file=PATH`. */
export default function Stores() {
  /** Unsaved texts by namespace and key: they stay while another key is open. */
  const drafts = useRef(new Map<string, string>()).current;
  const shown = useKinds();
  const [asked] = address.value.rest;
  const kind = kinds.find(({ id }) => id === (asked ?? shown[0]?.id));
  return (
    <div class="page">
      <h1 class="sr">{t.frame.pages.stores}</h1>
      <Tabs
        label={t.stores.kindsLabel}
        tabs={shown.map(({ id }) => ({ id, label: t.stores.kinds[id] }))}
        current={kind?.id ?? ''}
        onChange={(id) => navigate(to('stores', id))}
      >
        {kind && shown.includes(kind) ? (
          <>
            {kind.id === 'kv' && <Namespaces drafts={drafts} />}
            {kind.id === 'db' && <Databases />}
            {kind.id === 'files' && <Buckets />}
          </>
        ) : (
          <Denied kind={kind} />
        )}
      </Tabs>
    </div>
  );
}

function Denied({ kind }: { readonly kind: Kind | undefined }) {
  const { has } = useServer();
  if (!kind) return <Empty icon={Ban} title={t.frame.unknownTitle} />;
  const isOff = !has(kind.plugin);
  return (
    <Empty icon={Ban} title={isOff ? t.frame.offTitle : t.frame.forbiddenTitle}>
      {isOff ? t.frame.off(kind.plugin) : t.frame.forbidden(kind.method)}
    </Empty>
  );
}
