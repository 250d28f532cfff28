import { applyPreferences } from './frame/preferences.ts';
import { resume } from './frame/server.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';

applyPreferences();
// The connection opens and the log-in goes out while the browser still works out the rest of the page.
const resumed = resume();
const { draw } = await import('./app.tsx');
await draw();
await resumed;
