import { Ban, Compass, TriangleAlert } from 'lucide';
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button, Empty, ErrorNote, Skeleton } from '../parts/index.ts';
import { t } from '../strings/index.ts';
import { firstPage, obstacle, type Page, pageOf } from './pages.ts';
import { address, Link, navigate, to } from './router.tsx';
import { useServer } from './server.ts';

/** The page of the address, or one sentence that says why it is not there. */
export function View() {
  const server = useServer();
  const { page: id } = address.value;
  const page = pageOf(id);
  const missing = page && obstacle(page, server);
  // Home is the fleet, or what else there is for this token.
  const home = missing && id === 'fleet' ? firstPage(server)?.id : undefined;
  useEffect(() => {
    if (home) navigate(to(home), { replace: true });
  }, [home]);
  if (home) return null;
  if (!page)
    return (
      <Empty icon={Compass} title={t.frame.unknownTitle}>
        <Link to={to('fleet')}>{t.frame.toFleet}</Link>
      </Empty>
    );
  if (missing && 'plugin' in missing)
    return (
      <Empty icon={Ban} title={t.frame.offTitle}>
        {t.frame.off(missing.plugin)}
      </Empty>
    );
  if (missing)
    return (
      <Empty icon={Ban} title={t.frame.forbiddenTitle}>
        {t.frame.forbidden(missing.right)}
      </Empty>
    );
  return (
    <Guard key={id}>
      <Lazy page={page} />
    </Guard>
  );
}

const loaded = new Map<string, ComponentType>();

/** Fetches the page of the address while the log-in is not complete yet. */
export async function preload(): Promise<void> {
  const page = pageOf(address.value.page);
  if (page) loaded.set(page.id, (await page.load()).default);
}

function Lazy({ page }: { readonly page: Page }) {
  const [, draw] = useState(0);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const Found = loaded.get(page.id);
  useEffect(() => {
    if (loaded.has(page.id)) {
      // It came from elsewhere after this was drawn.
      if (!Found) draw((count) => count + 1);
      return;
    }
    let isOver = false;
    setError(undefined);
    page.load().then(
      (module) => {
        loaded.set(page.id, module.default);
        if (!isOver) draw((count) => count + 1);
      },
      (failure: unknown) => !isOver && setError(failure),
    );
    return () => {
      isOver = true;
    };
  }, [page.id, attempt]);
  if (Found) return <Found />;
  if (error !== undefined)
    return (
      <div class="page">
        <ErrorNote
          what={t.frame.brokenTitle}
          error={error}
          onRetry={() => setAttempt(attempt + 1)}
        />
      </div>
    );
  return (
    <div class="page">
      <Skeleton rows={6} />
    </div>
  );
}

/** A page that fails takes nothing with it. */
class Guard extends Component<{ readonly children: ComponentChildren }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error });
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <Empty icon={TriangleAlert} title={t.frame.brokenTitle}>
        <p>{t.frame.broken}</p>
        <p class="mono">{String(this.state.error)}</p>
        <Button onClick={() => this.setState({ error: undefined })}>{t.parts.retry}</Button>
      </Empty>
    );
  }
}
