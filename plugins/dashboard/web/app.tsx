import { render } from 'preact';
import { Login } from './frame/login.tsx';
import { setPages } from './frame/pages.ts';
import { rail } from './frame/preferences.ts';
import { isStarting, server } from './frame/server.ts';
import { Shell } from './frame/shell.tsx';
import { preload } from './frame/view.tsx';
import { pages } from './pages/index.ts';
import { number } from './parts/format.ts';
import { loadLanguage } from './strings/index.ts';

function App() {
  if (server.value) return <Shell />;
  if (!isStarting.value) return <Login />;
  // The empty frame stands where the full one will.
  return (
    <div class={`shell ${rail.value}`} aria-busy="true">
      <div class="rail" />
      <div class="top" />
    </div>
  );
}

/** Draws the page; the log-in may not have ended yet. */
export async function draw(): Promise<void> {
  setPages(pages);
  const words = loadLanguage();
  // A failure shows where the page is opened, with a way to try again.
  preload().catch(() => undefined);
  await words;
  const root = document.getElementById('app');
  if (root) render(<App />, root);
  // What the browser knows of numbers takes it 40 ms to load: after the first picture, while the answers are on their way.
  requestAnimationFrame(() => setTimeout(() => number(0)));
}
