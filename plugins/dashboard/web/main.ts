import { applyPreferences } from './frame/preferences.ts';
import { resume } from './frame/server.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';

/** A line that takes longer to open is not waited for, ms. */
const SLOW_MS = 40;

applyPreferences();
let resumed = Promise.resolve();
// The log-in goes out before the browser is busy with the rest of the page.
await new Promise<void>((goOn) => {
  setTimeout(goOn, SLOW_MS);
  resumed = resume(goOn);
});
const { draw } = await import('./app.tsx');
await draw();
await resumed;
