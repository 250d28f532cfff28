/** Builds the page into `public/` when a source is newer than the last build. */
export function buildDashboard(): Promise<void>;
