// The keys of the page: one table for the handler and for the sheet that `?` shows.

export type CommandId =
  | 'back'
  | 'forward'
  | 'previousChange'
  | 'nextChange'
  | 'first'
  | 'last'
  | 'fire'
  | 'nextTimer'
  | 'askDuration'
  | 'restart'
  | 'editor'
  | 'why'
  | 'timeline'
  | 'diagram'
  | 'help';

export interface Key {
  readonly id: CommandId;
  /** As `KeyboardEvent.key`; several do the same. */
  readonly keys: readonly string[];
  readonly shift?: boolean;
  /** Ctrl, or Cmd on a Mac. Such a key works inside text fields too. */
  readonly mod?: boolean;
  /** How it stands on the sheet. */
  readonly shown: readonly string[];
  readonly says: string;
}

export const kKeys: readonly Key[] = [
  { id: 'forward', keys: ['ArrowRight'], shown: ['→'], says: 'Step: forward, or the next thing that happens' },
  { id: 'back', keys: ['ArrowLeft'], shown: ['←'], says: 'Step back' },
  { id: 'nextChange', keys: ['ArrowRight'], shift: true, shown: ['Shift', '→'], says: 'Run to the next state change' },
  { id: 'previousChange', keys: ['ArrowLeft'], shift: true, shown: ['Shift', '←'], says: 'Previous state change' },
  { id: 'first', keys: ['Home'], shown: ['Home'], says: 'First step' },
  { id: 'last', keys: ['End'], shown: ['End'], says: 'Last step; there, until nothing more happens' },
  {
    id: 'fire',
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    shown: ['1', '…', '9'],
    says: 'Fire the event of that number',
  },
  { id: 'nextTimer', keys: ['.'], shown: ['.'], says: 'Let time pass to the next delayed action' },
  { id: 'askDuration', keys: [','], shown: [','], says: 'Let a time of your choice pass' },
  {
    id: 'restart',
    keys: ['Enter'],
    mod: true,
    shown: ['Ctrl', 'Enter'],
    says: 'Validate the manifests and start again',
  },
  { id: 'editor', keys: ['e'], shown: ['e'], says: 'To the editor (Esc, then Tab, leaves it)' },
  { id: 'why', keys: ['w'], shown: ['w'], says: 'To the explanation' },
  { id: 'timeline', keys: ['t'], shown: ['t'], says: 'To the time line' },
  { id: 'diagram', keys: ['d'], shown: ['d'], says: 'To the state diagram' },
  { id: 'help', keys: ['?'], shown: ['?'], says: 'This sheet' },
];

/** A key that prints something: such keys can be switched off (WCAG 2.1.4). */
export function isCharacter(key: Key): boolean {
  return !key.mod && key.keys.every((each) => each.length === 1);
}

const kOwnArrows = 'input, textarea, select, [contenteditable="true"], [role="separator"], [role="tab"]';
const kTextFields = 'input, textarea, select, [contenteditable="true"]';

export interface Pressed {
  readonly command: CommandId;
  /** For `fire`: which digit. */
  readonly digit: number;
}

/** What a key press means, given where the focus is; null if it is none of ours. */
export function commandOf(event: KeyboardEvent, characters: boolean): Pressed | null {
  if (event.defaultPrevented || event.altKey || event.isComposing) return null;
  const target = event.composedPath()[0];
  const inside = (selector: string) => target instanceof Element && target.closest(selector) !== null;
  const mod = event.ctrlKey || event.metaKey;
  for (const key of kKeys) {
    if (!key.keys.includes(event.key) || (key.mod ?? false) !== mod) continue;
    const character = isCharacter(key);
    if (!character && !key.mod && (key.shift ?? false) !== event.shiftKey) continue;
    if (character && (!characters || inside(kTextFields))) return null;
    if (!character && !key.mod && inside(kOwnArrows)) return null;
    return { command: key.id, digit: key.id === 'fire' ? Number(event.key) : 0 };
  }
  return null;
}
