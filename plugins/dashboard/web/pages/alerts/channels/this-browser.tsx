import type { IconNode } from 'lucide';
import { BellRing, CircleCheck, TriangleAlert } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { deviceName } from '../../../frame/index.ts';
import { Button, ErrorNote, Icon, useWork } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Channel, Kind } from '../model.ts';
import { freeName, type useDraft } from './draft.ts';
import { obstacle, subscribe, Taken, WEB_PUSH } from './subscription.ts';

type Work = Pick<ReturnType<typeof useDraft>, 'draft' | 'change'>;

/** Fills the form of a channel with the subscription of this browser. */
export function useThisBrowser({ draft, change }: Work, list: readonly Channel[]) {
  const [taken, setTaken] = useState<string>();
  const [filled, setFilled] = useState<string>();
  const names = list.map(({ name }) => name);
  const work = useWork(async (replaced: string | undefined) => {
    setTaken(undefined);
    try {
      const { config, secret } = await subscribe(replaced);
      setFilled(config.public_key);
      change((old) => ({
        config: { ...(isSecure && { contact: location.origin }), ...old.config, ...config },
        secret: { ...old.secret, ...secret },
        ...(old.name === freeName(WEB_PUSH, names) && { name: freeName(browserName(), names) }),
      }));
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
      setTaken(error.public_key);
    }
  });
  const own = draft.config['public_key'];
  return {
    ...work,
    /** Public key of a subscription that stands in the way, and the channel that has it. */
    taken,
    takenBy: list.find(({ config }) => taken !== '' && config['public_key'] === taken)?.name,
    isFilled: filled !== undefined && filled === own,
    run: () => work.run(typeof own === 'string' ? own : undefined),
    renew: () => work.run(taken),
  };
}

/** Push services take an address that begins so as the contact. */
const isSecure = location.protocol === 'https:';

/** `chrome-linux` */
const browserName = () => deviceName().toLowerCase().replace(', ', '-');

type Browser = ReturnType<typeof useThisBrowser>;

/** Button that makes this browser the receiver of a channel, and what keeps it from that. */
export function ThisBrowser({ browser }: { readonly browser: Browser }) {
  const { run, renew, error, isBusy, taken, takenBy, isFilled } = browser;
  const words = t.alerts.browser;
  const fault = obstacle();
  if (fault !== undefined) return <Note icon={TriangleAlert} kind="warn" text={fault} />;
  if (taken !== undefined)
    return (
      <Note icon={TriangleAlert} kind="warn" text={words.taken(takenBy)}>
        <Button kind="primary" busy={isBusy} onClick={() => void renew()}>
          {words.renew}
        </Button>
      </Note>
    );
  const text = isBusy ? words.asks : isFilled ? words.filled : words.hint;
  return (
    <>
      <Note icon={isFilled ? CircleCheck : BellRing} kind="" text={text}>
        <Button kind={isFilled ? 'plain' : 'primary'} busy={isBusy} onClick={() => void run()}>
          {words.button}
        </Button>
      </Note>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}

interface OfferProps {
  readonly kinds: readonly Kind[];
  readonly onChoose: (kind: Kind) => void;
}

/** The shortest way to a channel, where this browser can go it. */
export function BrowserOffer({ kinds, onChoose }: OfferProps) {
  const kind = kinds.find((one) => one.kind === WEB_PUSH);
  if (!kind || obstacle() !== undefined) return null;
  return (
    <Button icon={BellRing} onClick={() => onChoose(kind)}>
      {t.alerts.browser.offer}
    </Button>
  );
}

interface NoteProps {
  readonly icon: IconNode;
  readonly kind: 'warn' | '';
  readonly text: string;
  readonly children?: ComponentChildren;
}

const Note = ({ icon, kind, text, children }: NoteProps) => (
  <div class={`note ${kind} alerts-browser`} role="status">
    <Icon of={icon} />
    <span class="grow">{text}</span>
    {children}
  </div>
);
