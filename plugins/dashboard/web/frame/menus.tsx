import {
  Languages,
  Lock,
  LockKeyhole,
  LogOut,
  Monitor,
  MonitorSmartphone,
  Moon,
  Server as ServerIcon,
  Sun,
  UserRound,
} from 'lucide';
import { Menu } from '../parts/index.ts';
import { chooseLanguage, chosenLanguage, languageNames, t } from '../strings/index.ts';
import { origins } from './meta.ts';
import { isPasswordOpen, mayChangePassword } from './password.tsx';
import { density, lockAfter, theme } from './preferences.ts';
import { logOut, switchTo, useServer } from './server.ts';
import { areSessionsOpen } from './sessions.tsx';
import { useTokenName } from './token-name.ts';

export const themeIcons = { system: Monitor, light: Sun, dark: Moon };

/** Menu of the page's theme and density. */
export function LookMenu() {
  return (
    <Menu
      label={t.frame.theme}
      icon={themeIcons[theme.value]}
      items={[
        ...(['system', 'light', 'dark'] as const).map((value) => ({
          label: t.frame[value],
          icon: themeIcons[value],
          checked: theme.value === value,
          onSelect: () => {
            theme.value = value;
          },
        })),
        ...(['comfortable', 'compact'] as const).map((value, at) => ({
          label: t.frame[value],
          checked: density.value === value,
          separated: at === 0,
          onSelect: () => {
            density.value = value;
          },
        })),
      ]}
    />
  );
}

const openPassword = () => {
  isPasswordOpen.value = true;
};
export const openSessions = () => {
  areSessionsOpen.value = true;
};

/** Other servers of the list: each has a session of its own. */
export const otherServers = (current: string) =>
  origins
    .filter((origin) => origin !== current)
    .map((origin) => ({
      label: new URL(origin).host,
      icon: ServerIcon,
      onSelect: () => void switchTo(origin),
    }));

/** Menu of the reader: who is logged in, and settings of this reader alone. */
export function MeMenu() {
  const server = useServer();
  const { me, origin, may } = server;
  const tokenName = useTokenName();
  const name =
    me.isSuper && me.username === null ? t.frame.superToken : tokenName({ ...me, token_limit: [] });
  return (
    <Menu
      label={`${t.frame.me}: ${name}`}
      icon={UserRound}
      items={[
        ...languageNames.map(({ id, name: label }) => ({
          label,
          icon: Languages,
          checked: chosenLanguage() === id,
          onSelect: () => chooseLanguage(id),
        })),
        ...otherServers(origin).map((item, at) => ({ ...item, separated: at === 0 })),
        ...(['off', '5', '15', '60'] as const).map((minutes, at) => ({
          label: minutes === 'off' ? t.frame.neverLock : t.frame.lockAfter(minutes),
          icon: Lock,
          checked: lockAfter.value === minutes,
          separated: at === 0,
          onSelect: () => {
            lockAfter.value = minutes;
          },
        })),
        ...(may('session_list') === false
          ? []
          : [
              {
                label: t.frame.sessions,
                icon: MonitorSmartphone,
                separated: true,
                onSelect: openSessions,
              },
            ]),
        ...(mayChangePassword(server)
          ? [{ label: t.frame.changePassword, icon: LockKeyhole, onSelect: openPassword }]
          : []),
        { label: t.frame.logOut, icon: LogOut, onSelect: () => logOut() },
      ]}
    />
  );
}
