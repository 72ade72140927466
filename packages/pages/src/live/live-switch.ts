import { element } from '../element.ts';
import { durationText } from '../words.ts';
import type { LiveState } from './follow.ts';

export interface LiveSwitch {
  readonly element: HTMLElement;
  isOn(): boolean;
  /** @param isWhole whether the rows are those of the whole result, as in a stream */
  allow(isWhole: boolean): void;
  /** Shows a state of the connection; one that has ended switches it off. */
  show(state: LiveState): void;
  /** @param reason why, for people who did not do it themselves */
  switchOff(reason: string): void;
}

/** @param everySeconds how often the gateway looks for other rows */
export function buildLiveSwitch(everySeconds: number, onSwitch: (isOn: boolean) => void): LiveSwitch {
  const box = element('input', { type: 'checkbox', role: 'switch', id: 'live' });
  const status = element('span', { role: 'status' });
  const help = `within ${durationText(everySeconds)}`;
  const container = element(
    'div',
    { class: 'live', hidden: true },
    element('label', { for: box.id }, box, ' Live', element('span', { class: 'muted' }, `: ${help}`)),
    status,
  );
  const write = (kind: string, text: string) => {
    container.dataset.state = kind;
    status.textContent = text;
  };
  box.addEventListener('change', () => {
    write('off', '');
    onSwitch(box.checked);
  });
  return {
    element: container,
    isOn: () => box.checked,
    allow(isWhole) {
      if (isWhole && box.disabled) write('off', '');
      if (!isWhole) write('off', 'Conditions, an order and pages of rows cannot be followed.');
      box.disabled = !isWhole;
    },
    show(state) {
      if (state.kind === 'ended') box.checked = false;
      write(state.kind, stateText(state));
    },
    switchOff(reason) {
      box.checked = false;
      write('ended', reason);
    },
  };
}

function stateText(state: LiveState): string {
  switch (state.kind) {
    case 'connecting':
      return 'Connecting …';
    case 'live':
      return 'Connected.';
    case 'paused':
      return 'Paused while this page is hidden.';
    case 'waiting':
      return `${state.reason} Connecting again in ${durationText(state.seconds)}.`;
    case 'ended':
      return state.reason;
  }
}
