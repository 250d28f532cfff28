import { BellOff } from 'lucide';
import { Link, to, usePoll, useServer } from '../../frame/index.ts';
import { Icon } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

const EVERY_MS = 60_000;

/** Line that nobody is told, for those who may make a channel, while there is none. */
export function NoChannel() {
  const { call, has, holds } = useServer();
  const asks =
    has('notify') && has('alert') && holds('channel', 'read') && holds('channel', 'write');
  const channels = usePoll(
    `channels for monitors ${asks}`,
    async () => (asks ? call('channel_list') : undefined),
    { every_ms: EVERY_MS },
  );
  if (channels.data?.length !== 0) return null;
  return (
    <p class="note">
      <Icon of={BellOff} />
      <span class="grow">
        {t.monitors.nobodyIsTold} <Link to={to('alerts', 'channels')}>{t.monitors.toChannels}</Link>
      </span>
    </p>
  );
}
