/**
 * Corrects markup of GraphiQL for which the library has no option, as it appears: a tab that contains its close button is an
 * item of a list instead, fields get names, and a button is named by its text.
 *
 * @see https://github.com/graphql/graphiql/issues/3422
 */
export function mendMarkup(root: HTMLElement): void {
  const mend = () => {
    for (const tabs of root.querySelectorAll('.graphiql-tabs[role]')) tabs.removeAttribute('role');
    for (const tab of root.querySelectorAll('.graphiql-tab:is([role], [aria-selected])')) {
      const isSelected = tab.getAttribute('aria-selected');
      tab.removeAttribute('role');
      tab.removeAttribute('aria-selected');
      if (isSelected !== null) tab.querySelector('button')?.setAttribute('aria-current', isSelected);
    }
    for (const field of root.querySelectorAll('.docExplorerWrap :is(select, input):not([aria-label])')) {
      const argument = field.closest('[data-arg-name]')?.getAttribute('data-arg-name');
      const other = field.matches('select') ? 'Kind of operation to add' : 'Name of the operation';
      field.setAttribute('aria-label', argument ?? other);
    }
    for (const item of root.querySelectorAll('.graphiql-history-item-label[aria-label]'))
      item.removeAttribute('aria-label');
  };
  mend();
  const options = {
    subtree: true,
    childList: true,
    attributeFilter: ['role', 'aria-selected', 'aria-label'],
  };
  new MutationObserver(mend).observe(root, options);
}
