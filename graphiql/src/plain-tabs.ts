/**
 * GraphiQL's tabs can be dragged, and a press of the button begins that: when the pointer moves by three pixels before it is
 * released, the click is not heard. Nothing hears the press here, so that a click is always one.
 */
export function disableTabDrag(): void {
  const stop = (event: Event) => {
    if (event.target instanceof Element && event.target.closest('.graphiql-tab') !== null)
      event.stopPropagation();
  };
  document.addEventListener('pointerdown', stop, { capture: true });
}
