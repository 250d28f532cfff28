import type { Methods } from '@svc/client';
import { useState } from 'preact/hooks';
import { useServer, wire } from '../../../frame/index.ts';
import {
  Button,
  Card,
  ErrorNote,
  Field,
  Select,
  TextField,
  toast,
  useWork,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { EntryList } from './entries.tsx';
import type { Shown } from './pages.tsx';

type Page = Methods['status-page_create']['params']['page'];
const LANGUAGES = ['auto', 'en', 'zh-CN'] as const;
const MOST_LOGO_BYTES = 65_536;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

interface Props {
  /** Undefined: a new page. */
  readonly shown?: Shown;
  readonly onSaved: (slug: string) => void;
  readonly onCancel?: () => void;
}

/** Everything of one public page but its incidents. */
export function StatusForm({ shown, onSaved, onCancel }: Props) {
  const { call, may, origin } = useServer();
  const s = t.server.status;
  const [slug, setSlug] = useState(shown?.slug ?? '');
  const [page, setPage] = useState<Page>(shown?.page ?? { title: '', entries: [] });
  const change = (part: Partial<Page>) => setPage({ ...page, ...part });
  const mayWrite = !shown || may('status-page_update', { slug: shown.slug, page: {} }) !== false;
  const isSlug = SLUG.test(slug) && slug.length <= 40;
  const { run, error, isBusy } = useWork(
    async () => {
      if (shown) await call('status-page_update', { slug, page });
      else await call('status-page_create', { slug, page });
      toast(s.saved);
    },
    () => onSaved(slug),
  );
  return (
    <Card title={shown ? s.settings : s.make}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <fieldset class="stack server-plain" disabled={!mayWrite}>
          {!shown && (
            <TextField
              label={s.slug}
              value={slug}
              onText={setSlug}
              mono
              autofocus
              spellcheck={false}
              hint={isSlug ? s.slugShows(`${origin}${wire(`/svc/status/${slug}`)}`) : s.slugHint}
              error={slug === '' || isSlug ? undefined : s.slugWrong}
            />
          )}
          <TextField label={s.name} value={page.title} onText={(title) => change({ title })} />
          <TextField
            label={s.description}
            value={page.description ?? ''}
            onText={(description) => change({ description })}
          />
          <EntryList entries={page.entries} onChange={(entries) => change({ entries })} />
          <Looks page={page} onChange={change} />
        </fieldset>
        {error !== undefined && <ErrorNote error={error} what={s.failed} />}
        {mayWrite ? (
          <div class="row">
            <Button
              type="submit"
              kind="primary"
              busy={isBusy}
              disabled={!isSlug || page.title.trim() === ''}
            >
              {shown ? s.save : s.publish}
            </Button>
            {onCancel && <Button onClick={onCancel}>{t.parts.cancel}</Button>}
          </div>
        ) : (
          <p class="muted">{s.readOnly}</p>
        )}
      </form>
    </Card>
  );
}

interface LooksProps {
  readonly page: Page;
  readonly onChange: (part: Partial<Page>) => void;
}

/** Language, address, colours and logo. */
function Looks({ page, onChange }: LooksProps) {
  const s = t.server.status;
  return (
    <>
      <Select
        label={s.language}
        value={page.language ?? 'auto'}
        options={LANGUAGES.map((value) => ({ value, label: s.languages[value] }))}
        onChange={(language) => onChange({ language })}
      />
      <TextField
        label={s.url}
        type="url"
        placeholder="https://status.example.net"
        value={page.url ?? ''}
        hint={s.urlHint}
        onText={(url) => onChange({ url: url.trim() === '' ? null : url.trim() })}
      />
      <div class="server-rules">
        <Colour label={s.accent} value={page.accent} onColour={(accent) => onChange({ accent })} />
        <Colour label={s.banner} value={page.banner} onColour={(banner) => onChange({ banner })} />
      </div>
      <Logo logo={page.logo ?? null} onLogo={(logo) => onChange({ logo })} />
    </>
  );
}

interface ColourProps {
  readonly label: string;
  readonly value: string | null | undefined;
  readonly onColour: (value: string | null) => void;
}

/** Null: the page's own. */
function Colour({ label, value, onColour }: ColourProps) {
  const s = t.server.status;
  return (
    <Field label={label} hint={value == null ? s.colourHint : undefined}>
      {(ids) => (
        <span class="row">
          <input
            {...ids}
            class="server-colour"
            type="color"
            value={value ?? '#2f5bd0'}
            onInput={(event) => onColour(event.currentTarget.value)}
          />
          <span class="mono">{value ?? ''}</span>
          {value != null && (
            <Button kind="quiet" onClick={() => onColour(null)}>
              {s.noColour}
            </Button>
          )}
        </span>
      )}
    </Field>
  );
}

interface LogoProps {
  /** Base64. */
  readonly logo: string | null;
  readonly onLogo: (logo: string | null) => void;
}

function Logo({ logo, onLogo }: LogoProps) {
  const s = t.server.status;
  const [wrong, setWrong] = useState<string>();
  const take = async (file: File | undefined) => {
    if (!file) return;
    setWrong(file.size > MOST_LOGO_BYTES ? s.logoLarge : undefined);
    if (file.size > MOST_LOGO_BYTES) return;
    let binary = '';
    for (const byte of new Uint8Array(await file.arrayBuffer()))
      binary += String.fromCharCode(byte);
    onLogo(btoa(binary));
  };
  return (
    <Field label={s.logo} hint={s.logoHint} error={wrong}>
      {(ids) => (
        <span class="row wrap">
          {logo !== null && <img class="server-logo" src={logoUrl(logo)} alt={s.logo} />}
          <input
            {...ids}
            type="file"
            accept="image/png,image/jpeg,image/webp,image/svg+xml"
            onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
          />
          {logo !== null && (
            <Button kind="quiet" onClick={() => onLogo(null)}>
              {s.noLogo}
            </Button>
          )}
        </span>
      )}
    </Field>
  );
}

/** Browsers tell pictures by their first bytes, but for drawings. */
const logoUrl = (logo: string) =>
  `data:image/${/^(?:PHN2Zy|PD94bW|77u\/)/.test(logo) ? 'svg+xml' : 'png'};base64,${logo}`;
