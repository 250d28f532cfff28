import { render } from 'preact';
import { Login } from './frame/login.tsx';
import { applyPreferences } from './frame/preferences.ts';
import { isStarting, resume, server } from './frame/server.ts';
import { Shell } from './frame/shell.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';
import { loadLanguage } from './strings/index.ts';

function App() {
  if (server.value) return <Shell />;
  return isStarting.value ? null : <Login />;
}

applyPreferences();
const resumed = resume();
await loadLanguage();
const root = document.getElementById('app');
if (root) render(<App />, root);
await resumed;
