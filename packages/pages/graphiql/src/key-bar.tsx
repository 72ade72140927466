import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';

interface KeyBarProps {
  readonly value: string;
  readonly onInput: (key: string) => void;
  /** The user has finished: by Enter, or by leaving the field. */
  readonly onCommit: () => void;
  readonly message: string;
  readonly isProblem: boolean;
}

/** The field for the key of all tabs, and the outcome of the last request for the schema, in the header of the site. */
export function KeyBar({ value, onInput, onCommit, message, isProblem }: KeyBarProps): ReactNode {
  const place = document.getElementById('site-key');
  const bar = (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onCommit();
        }}
      >
        <label htmlFor="key">API key</label>
        <input
          id="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={value}
          aria-describedby="key-status"
          aria-invalid={isProblem && value !== ''}
          onChange={(event) => onInput(event.target.value)}
          onBlur={onCommit}
        />
      </form>
      <p id="key-status" role="status" className={isProblem ? 'problem' : ''}>
        {message}
      </p>
    </>
  );
  return place === null ? bar : createPortal(bar, place);
}
