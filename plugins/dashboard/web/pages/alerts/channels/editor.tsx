import { Save, Send, Trash2 } from 'lucide';
import { Loaded, navigate, to, useCrumbs, useServer } from '../../../frame/index.ts';
import {
  Button,
  Card,
  Checkbox,
  ConfirmButton,
  Empty,
  ErrorNote,
  Form,
  Select,
  TextField,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Channel, type Kind, useChannels } from '../model.ts';
import { ZoneField } from '../windows/zone-field.tsx';
import { Answer } from './answer.tsx';
import {
  type Draft,
  isLoopback,
  lacking,
  publicUrl,
  useDraft,
  useKinds,
  useRemoval,
} from './draft.ts';
import { KindFields } from './fields.tsx';
import { KindTiles, PasteField } from './kinds.tsx';
import { Outbox } from './outbox.tsx';
import { mayChange, mayDelete } from './rights.ts';
import { WEB_PUSH } from './subscription.ts';
import { BrowserOffer, ThisBrowser, useThisBrowser } from './this-browser.tsx';

/** A channel that is there, or a new one: its kind by a tile or by a pasted address. */
export function ChannelEditor({ name }: { readonly name: string | undefined }) {
  const kinds = useKinds();
  const channels = useChannels();
  useCrumbs(
    { label: t.alerts.tabs.channels, to: to('alerts', 'channels') },
    { label: name ?? t.alerts.newChannel },
  );
  return (
    <div class="page alerts alerts-editor">
      <Loaded of={kinds} what={t.alerts.channelsUnreadable}>
        {(all) => (
          <Loaded of={channels} what={t.alerts.channelsUnreadable}>
            {(list) => {
              const channel = list.find((one) => one.name === name);
              if (name !== undefined && !channel)
                return (
                  <Empty icon={Send} title={t.alerts.noChannel}>
                    <Button onClick={() => navigate(to('alerts', 'channels'))}>
                      {t.alerts.toChannels}
                    </Button>
                  </Empty>
                );
              return <Editor kinds={all} channel={channel} list={list} />;
            }}
          </Loaded>
        )}
      </Loaded>
    </div>
  );
}

interface EditorProps {
  readonly kinds: readonly Kind[];
  readonly channel: Channel | undefined;
  readonly list: readonly Channel[];
}

function Editor({ kinds, channel, list }: EditorProps) {
  const work = useDraft(
    channel,
    list.map(({ name }) => name),
  );
  const browser = useThisBrowser(work, list);
  const { draft, choose, paste } = work;
  const kind = kinds.find((one) => one.kind === draft.kind);
  const notifyHere = (one: Kind) => {
    choose(one);
    void browser.run();
  };
  return (
    <div class="stack">
      <header class="page-head">
        <h1 class="grow">{channel?.name ?? t.alerts.newChannel}</h1>
        {channel && <Removal channel={channel} />}
      </header>
      {!channel && <PasteField kinds={kinds} kind={kind} onPaste={(url) => paste(url, kinds)} />}
      {kind ? (
        <ChannelForm {...{ kind, channel, work, browser }} />
      ) : (
        <KindTiles kinds={kinds} onChoose={choose}>
          <BrowserOffer kinds={kinds} onChoose={notifyHere} />
        </KindTiles>
      )}
      {channel && <Outbox channels={[channel]} name={channel.name} />}
    </div>
  );
}

interface FormProps {
  readonly kind: Kind;
  readonly channel: Channel | undefined;
  readonly work: ReturnType<typeof useDraft>;
  readonly browser: ReturnType<typeof useThisBrowser>;
}

function ChannelForm({ kind, channel, work, browser }: FormProps) {
  const server = useServer();
  const { draft, isChanged, answer, change, test, saving } = work;
  const mayWrite = channel ? mayChange(server, channel.name) : server.holds('channel', 'write');
  const missing = lacking(draft, kind, channel);
  const links = publicUrl(server.origin);
  const isReady = missing.length === 0 && draft.name.trim() !== '' && mayWrite;
  return (
    <Form onSubmit={() => isReady && saving.run()}>
      <Card class="stack" title={kind.title}>
        <p class="muted">{kind.summary}</p>
        <fieldset class="stack" disabled={!mayWrite}>
          {kind.kind === WEB_PUSH && <ThisBrowser browser={browser} />}
          <KindFields {...{ kind, draft, channel }} onChange={change} />
          <Common {...{ draft, channel }} onChange={change} />
        </fieldset>
        <Priorities kind={kind} />
        {!channel && isLoopback(links) && <p class="hint">{t.alerts.linksHere(links)}</p>}
      </Card>
      <Answer answer={answer} error={test.error} />
      {saving.error !== undefined && <ErrorNote what={t.alerts.notSaved} error={saving.error} />}
      <div class="row wrap">
        <Button
          icon={Send}
          busy={test.isBusy}
          disabled={!isReady || (channel !== undefined && isChanged)}
          onClick={() => void test.run()}
        >
          {t.alerts.test}
        </Button>
        <Button kind="primary" type="submit" icon={Save} disabled={!isReady} busy={saving.isBusy}>
          {t.alerts.save}
        </Button>
        <Button onClick={() => navigate(to('alerts', 'channels'))}>{t.parts.cancel}</Button>
        <span class="muted small">
          {missing.length > 0
            ? t.alerts.missing(missing.join(', '))
            : channel && isChanged
              ? t.alerts.saveFirst
              : ''}
        </span>
      </div>
    </Form>
  );
}

interface CommonProps {
  readonly draft: Draft;
  readonly channel: Channel | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** Fields that every channel has. */
function Common({ draft, channel, onChange }: CommonProps) {
  return (
    <div class="alerts-fields three">
      {!channel && (
        <TextField
          label={t.alerts.name}
          value={draft.name}
          required
          autocomplete="off"
          onText={(name) => onChange({ name })}
        />
      )}
      <Select
        label={t.alerts.language}
        value={draft.language}
        options={[
          { value: 'en', label: 'English' },
          { value: 'zh-CN', label: '简体中文' },
        ]}
        onChange={(language) => onChange({ language })}
      />
      <ZoneField zone={draft.zone} onChange={(zone) => onChange({ zone })} />
      {channel && (
        <Checkbox
          label={t.alerts.isUsed}
          checked={draft.enable}
          onChange={(enable) => onChange({ enable })}
        />
      )}
    </div>
  );
}

/** "Critical → 5 (urgent)" */
function Priorities({ kind: { priorities } }: { readonly kind: Kind }) {
  if (!priorities) return null;
  return (
    <p class="muted small">
      {t.alerts.priorities}{' '}
      {(['critical', 'warning', 'info'] as const)
        .filter((severity) => priorities[severity] !== undefined)
        .map((severity) => `${t.alert.severities[severity]} → ${priorities[severity]}`)
        .join(' · ')}
    </p>
  );
}

function Removal({ channel }: { readonly channel: Channel }) {
  const server = useServer();
  const remove = useRemoval(channel.name);
  if (!mayDelete(server, channel.name)) return null;
  return (
    <ConfirmButton
      icon={Trash2}
      label={t.alerts.remove}
      title={t.alerts.channelRemove(channel.name)}
      action={t.alerts.remove}
      onConfirm={remove}
    >
      <p>{t.alerts.channelRemoveText(channel.waiting)}</p>
    </ConfirmButton>
  );
}
