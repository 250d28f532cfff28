import { render } from 'preact';
import { Login } from './frame/login.tsx';
import { applyPreferences, rail } from './frame/preferences.ts';
import { isStarting, resume, server } from './frame/server.ts';
import { Shell } from './frame/shell.tsx';
import { preload } from './frame/view.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';
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

applyPreferences();
const resumed = resume();
// A failure shows where the page is opened, with a way to try again.
preload().catch(() => undefined);
await loadLanguage();
const root = document.getElementById('app');
if (root) render(<App />, root);
await resumed;
