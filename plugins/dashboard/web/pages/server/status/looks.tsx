import { useState } from 'preact/hooks';
import { Button, Field, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Page } from './model.ts';

const LANGUAGES = ['auto', 'en', 'zh-CN'] as const;
const MOST_LOGO_BYTES = 65_536;

interface LooksProps {
  readonly page: Page;
  readonly onChange: (part: Partial<Page>) => void;
}

/** Language, address, colours and logo. */
export function Looks({ page, onChange }: LooksProps) {
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
  const read = async (file: File | undefined) => {
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
            onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
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
