import { useSignalEffect } from '@preact/signals';
import {
  ChevronRight,
  Ellipsis,
  LogOut,
  MonitorSmartphone,
  PanelLeftClose,
  PanelLeftOpen,
  Search,
} from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Button, Icon, Menu, Toasts } from '../parts/index.ts';
import { t } from '../strings/index.ts';
import { Bell, Unacked } from './bell.tsx';
import { isPaletteOpen, useCommands } from './commands.ts';
import { ConnectionState } from './connection.tsx';
import { crumbs } from './crumbs.ts';
import { useIdleLock } from './idle.ts';
import { LookMenu, MeMenu, openSessions, otherServers, themeIcons } from './menus.tsx';
import { brandTitle } from './meta.ts';
import { obstacle, type Page, pageOf, pages } from './pages.ts';
import { Palette } from './palette.tsx';
import { isPasswordOpen, OwnPassword } from './password.tsx';
import { rail, theme } from './preferences.ts';
import { address, Link, navigate, setQuery, to } from './router.tsx';
import { logOut, useServer } from './server.ts';
import { areSessionsOpen, Sessions } from './sessions.tsx';
import { View } from './view.tsx';

/** Pages in the bar of a phone; the others are under "More". */
const ON_PHONE = 4;

/** Frame around every page. */
export function Shell() {
  const server = useServer();
  const shown = pages.filter((page) => page.inMenu && !obstacle(page, server));
  useKeys();
  useIdleLock();
  useTitle();
  useFrameCommands(shown);
  // It was for the log-in form.
  useEffect(() => {
    if (address.value.query.has('user')) setQuery({ user: undefined });
  }, []);
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

/** Lines of the palette that every page has. */
function useFrameCommands(shown: readonly Page[]): void {
  const { origin } = useServer();
  useCommands(() => [
    ...shown.map(({ id, icon }) => ({
      id: `page ${id}`,
      label: t.frame.pages[id],
      group: t.frame.jump,
      icon,
      run: () => navigate(to(id)),
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
    ...otherServers(origin).map(({ label, icon, onSelect }) => ({
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
              <span class="grow">{t.frame.pages[id]}</span>
              {id === 'alerts' && <Unacked />}
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
          {id === 'alerts' && <Unacked />}
        </Link>
      ))}
      {others.length > 0 && (
        <Menu
          label={t.frame.more}
          items={others.map(({ id, icon }) => ({
            label: t.frame.pages[id],
            icon,
            onSelect: () => navigate(to(id)),
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
      <Bell />
      <LookMenu />
      <MeMenu />
    </header>
  );
}

/** Opens and closes the palette by `⌘K` and `Ctrl K`. */
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
