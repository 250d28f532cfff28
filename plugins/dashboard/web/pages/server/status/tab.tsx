import { ExternalLink, Plus, RadioTower } from 'lucide';
import { useState } from 'preact/hooks';
import { address, Link, Loaded, navigate, to, useServer, wire } from '../../../frame/index.ts';
import { Button, Card, Confirm, Empty, format, Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { StatusForm } from './form.tsx';
import { Incidents } from './incidents.tsx';
import { listAt, pageAt, type Shown, useDeletion, useStatusPage, useStatusPages } from './model.ts';

/** `server/status` lists the public pages, `server/status/<slug>` edits one, `server/status?new=1` makes one. */
export function StatusPages() {
  const { rest, query } = address.value;
  const [, slug] = rest;
  if (slug !== undefined) return <OnePage key={slug} slug={slug} />;
  if (query.has('new'))
    return (
      <StatusForm onSaved={(made) => navigate(pageAt(made))} onCancel={() => navigate(listAt())} />
    );
  return <List />;
}

function List() {
  const { holds } = useServer();
  const s = t.server.status;
  const pages = useStatusPages();
  const add = holds('status_page', 'write') && (
    <Button
      kind="primary"
      icon={Plus}
      onClick={() => navigate(to('server', 'status', { new: '1' }))}
    >
      {s.make}
    </Button>
  );
  return (
    <Loaded of={pages} what={s.unreadable}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon={RadioTower} title={s.none}>
            <p>{s.noneHint}</p>
            {add}
          </Empty>
        ) : (
          <Card title={s.title} actions={add} flush>
            <ul class="server-pages" aria-label={s.title}>
              {list.map(({ slug, title, entries, updated_at }) => (
                <li key={slug}>
                  <Link to={pageAt(slug)} class="ellipsis">
                    {title}
                  </Link>
                  <span class="muted">{s.entryCount(entries)}</span>
                  <span class="muted" title={format.dateTime(updated_at)}>
                    {s.changed(format.when(updated_at))}
                  </span>
                  <PublicLink slug={slug} />
                </li>
              ))}
            </ul>
          </Card>
        )
      }
    </Loaded>
  );
}

function PublicLink({ slug }: { readonly slug: string }) {
  const { origin } = useServer();
  const path = wire(`/svc/status/${slug}`);
  return (
    <a class="row" href={`${origin}${path}`} target="_blank" rel="noreferrer">
      <Icon of={ExternalLink} />
      <span class="mono ellipsis">{path}</span>
    </a>
  );
}

function OnePage({ slug }: { readonly slug: string }) {
  const { may } = useServer();
  const s = t.server.status;
  const [isAsking, setAsking] = useState(false);
  const found = useStatusPage(slug);
  return (
    <Loaded of={found} what={s.unreadableOne}>
      {(shown) => (
        <div class="stack">
          <header class="page-head server-one">
            <Link to={listAt()}>{s.title}</Link>
            <h2 class="ellipsis grow">{shown.page.title}</h2>
            <PublicLink slug={slug} />
            {may('status-page_delete', { slug }) !== false && (
              <Button kind="danger" onClick={() => setAsking(true)}>
                {s.remove}
              </Button>
            )}
          </header>
          <div class="server-columns wide">
            <StatusForm key={shown.updated_at} shown={shown} onSaved={found.refresh} />
            <Incidents slug={slug} />
          </div>
          {isAsking && <Removal shown={shown} onClose={() => setAsking(false)} />}
        </div>
      )}
    </Loaded>
  );
}

function Removal({ shown, onClose }: { readonly shown: Shown; readonly onClose: () => void }) {
  const s = t.server.status;
  return (
    <Confirm
      title={s.removeTitle(shown.page.title)}
      action={s.remove}
      onClose={onClose}
      onConfirm={useDeletion(shown)}
    >
      <p>{s.removeText(wire(`/svc/status/${shown.slug}`))}</p>
    </Confirm>
  );
}
