import { useSignalEffect } from '@preact/signals';
import {
  ChevronRight,
  Ellipsis,
  Languages,
  Lock,
  LockKeyhole,
  LogOut,
  Monitor,
  MonitorSmartphone,
  Moon,
  PanelLeftClose,
  PanelLeftOpen,
  Search,
  Server as ServerIcon,
  Sun,
  UserRound,
} from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Button, Icon, Menu, Toasts } from '../parts/index.ts';
import { chooseLanguage, chosenLanguage, languageNames, t } from '../strings/index.ts';
import { isPaletteOpen, useCommands } from './commands.ts';
import { ConnectionState } from './connection.tsx';
import { crumbs } from './crumbs.ts';
import { useIdleLock } from './idle.ts';
import { brandTitle, origins } from './meta.ts';
import { obstacle, type Page, pageOf, pages } from './pages.ts';
import { Palette } from './palette.tsx';
import { isPasswordOpen, OwnPassword } from './password.tsx';
import { density, lockAfter, rail, theme } from './preferences.ts';
import { address, go, Link, to } from './router.tsx';
import { logOut, switchTo, useServer } from './server.ts';
import { areSessionsOpen, Sessions } from './sessions.tsx';
import { useTokenName } from './token-name.ts';
import { View } from './view.tsx';

/** In the bar of a phone; the others are behind "More". */
const ON_PHONE = 4;

/** What is around every page. */
export function Shell() {
  const server = useServer();
  const shown = pages.filter((page) => page.inMenu && !obstacle(page, server));
  useKeys();
  useIdleLock();
  useTitle();
  useCommands(() => [
    ...shown.map(({ id, icon }) => ({
      id: `page ${id}`,
      label: t.frame.pages[id],
      group: t.frame.jump,
      icon,
      run: () => go(to(id)),
    })),
    ...(['system', 'light', 'dark'] as const).map((value) => ({
      id: `theme ${value}`,
      label: `${t.frame.theme}: ${t.frame[value]}`,
      group: t.frame.settings,
      icon: themeIcons[value],
      run: () => {
        theme.value = value;
      },
    })),
    ...otherServers(server.origin).map(({ label, icon, onSelect }) => ({
      id: `server ${label}`,
      label,
      group: t.frame.servers,
      icon,
      run: onSelect,
    })),
    {
      id: 'sessions',
      label: t.frame.sessions,
      group: t.frame.settings,
      icon: MonitorSmartphone,
      run: openSessions,
    },
    {
      id: 'log out',
      label: t.frame.logOut,
      group: t.frame.settings,
      icon: LogOut,
      run: () => logOut(),
    },
  ]);
  const isLost = server.connection.value.state !== 'open';
  return (
    <div class={`shell ${rail.value} ${isLost ? 'lost' : ''}`}>
      <button type="button" class="skip" onClick={focusContent}>
        {t.frame.skip}
      </button>
      <Rail pages={shown} />
      <Top />
      <main id="content" tabIndex={-1}>
        {isLost && <p class="lost-line">{t.frame.lost}</p>}
        <View />
      </main>
      <BottomBar pages={shown} />
      <Palette />
      {areSessionsOpen.value && <Sessions />}
      {isPasswordOpen.value && <OwnPassword />}
      <Toasts />
    </div>
  );
}

function focusContent(): void {
  document.getElementById('content')?.focus();
}

const isCurrent = (id: string) =>
  address.value.page === id || (id === 'fleet' && address.value.page === 'agent');

function Rail({ pages: shown }: { readonly pages: readonly Page[] }) {
  const isNarrow = rail.value === 'narrow';
  return (
    <nav class="rail" aria-label={t.frame.navigation}>
      <Link to={to('fleet')} class="brand" label={brandTitle}>
        <img src="./favicon.svg" alt="" width="24" height="24" />
        <span>{brandTitle}</span>
      </Link>
      <ul>
        {shown.map(({ id, icon }) => (
          <li key={id}>
            <Link
              to={to(id)}
              current={isCurrent(id)}
              {...(isNarrow && { title: t.frame.pages[id] })}
            >
              <Icon of={icon} />
              <span>{t.frame.pages[id]}</span>
            </Link>
          </li>
        ))}
      </ul>
      <Button
        kind="quiet"
        icon={isNarrow ? PanelLeftOpen : PanelLeftClose}
        label={isNarrow ? t.frame.expand : t.frame.collapse}
        onClick={() => {
          rail.value = isNarrow ? 'wide' : 'narrow';
        }}
      />
    </nav>
  );
}

function BottomBar({ pages: shown }: { readonly pages: readonly Page[] }) {
  const others = shown.slice(ON_PHONE);
  return (
    <nav class="bottom" aria-label={t.frame.navigation}>
      {shown.slice(0, ON_PHONE).map(({ id, icon }) => (
        <Link key={id} to={to(id)} current={isCurrent(id)}>
          <Icon of={icon} size={20} />
          <span>{t.frame.pages[id]}</span>
        </Link>
      ))}
      {others.length > 0 && (
        <Menu
          label={t.frame.more}
          items={others.map(({ id, icon }) => ({
            label: t.frame.pages[id],
            icon,
            onSelect: () => go(to(id)),
          }))}
        >
          <Icon of={Ellipsis} size={20} />
          <span>{t.frame.more}</span>
        </Menu>
      )}
    </nav>
  );
}

const PALETTE_KEY = /Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K';
const themeIcons = { system: Monitor, light: Sun, dark: Moon };

function Top() {
  const { page } = address.value;
  const title = pageOf(page) ? t.frame.pages[page as Page['id']] : t.frame.unknownTitle;
  const parent = page === 'agent' ? 'fleet' : page;
  return (
    <header class="top">
      <nav class="crumbs grow" aria-label={title}>
        <Link to={to(parent)}>{page === 'agent' ? t.frame.pages.fleet : title}</Link>
        {crumbs.value.map(({ label, to: href }) => (
          <>
            <Icon of={ChevronRight} size={14} />
            {href === undefined ? (
              <span class="ellipsis">{label}</span>
            ) : (
              <Link to={href}>{label}</Link>
            )}
          </>
        ))}
      </nav>
      <button
        type="button"
        class="search"
        onClick={() => {
          isPaletteOpen.value = true;
        }}
      >
        <Icon of={Search} />
        <span class="grow">{t.frame.searchShort}</span>
        <kbd>{PALETTE_KEY}</kbd>
      </button>
      <ConnectionState />
      <LookMenu />
      <MeMenu />
    </header>
  );
}

function LookMenu() {
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
const openSessions = () => {
  areSessionsOpen.value = true;
};

/** The others of the list: each has a session of its own. */
const otherServers = (current: string) =>
  origins
    .filter((origin) => origin !== current)
    .map((origin) => ({
      label: new URL(origin).host,
      icon: ServerIcon,
      onSelect: () => void switchTo(origin),
    }));

function MeMenu() {
  const { me, origin, may } = useServer();
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
        ...(me.isSuper && me.username === 'root'
          ? [{ label: t.frame.changePassword, icon: LockKeyhole, onSelect: openPassword }]
          : []),
        { label: t.frame.logOut, icon: LogOut, onSelect: () => logOut() },
      ]}
    />
  );
}

/** `⌘K` and `Ctrl K` open the palette; `g` and a page's first letter are left to the palette. */
function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.metaKey || event.ctrlKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function useTitle(): void {
  const [name] = useState(brandTitle);
  useSignalEffect(() => {
    const { page } = address.value;
    const title = pageOf(page) ? t.frame.pages[page as Page['id']] : t.frame.unknownTitle;
    document.title = [...crumbs.value.map(({ label }) => label).reverse(), title, name].join(' · ');
  });
}
