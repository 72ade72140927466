/**
 * Tabs of GraphiQL can be dragged: if the pointer moves by three pixels between press and release, the click is lost. The
 * press is stopped before it starts a drag, so that it always ends in a click.
 */
export function disableTabDrag(): void {
  const stop = (event: Event) => {
    if (event.target instanceof Element && event.target.closest('.graphiql-tab') !== null)
      event.stopPropagation();
  };
  document.addEventListener('pointerdown', stop, { capture: true });
}
